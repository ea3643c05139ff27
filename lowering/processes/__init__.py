"""Several processes that compute together: who they are, how they meet, and what is said when one is missing."""
