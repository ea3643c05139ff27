"""Property tests judge results, not how busy the machine is: no deadlines, no complaints of slow generation."""

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
