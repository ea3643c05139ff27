// Asks the server that the page came from.
export async function ask(question) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) };
  const answer = await fetch("ask", sent);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
