import { Form, Link, redirect, useLoaderData, useFetcher } from "react-router";
import * as store from "../store.server.js";
const user = (request) => store.sessions.get(/sid=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1]);
export function loader({ request }) { if (!user(request)) throw redirect("/login"); return { user: user(request), notes: store.list().map(({ id, title, done }) => ({ id, title, done })), at: new Date() }; }
export async function action({ request }) {
  if (!user(request)) throw redirect("/login");
  const d = await request.formData();
  switch (d.get("intent")) {
    case "create": return { ok: true, note: store.add(d.get("title"), d.get("body")) };
    case "toggle": { const x = store.toggle(d.get("noteId")); if (!x) throw new Response("no such note", { status: 404 }); return { ok: true }; }
    case "remove": { if (!store.remove(d.get("noteId"))) throw new Response("no such note", { status: 404 }); return { ok: true }; }
  }
}
function Note({ note }) { const f = useFetcher(); return <li className={note.done ? "done" : ""}><Link to={`/notes/${note.id}`}>{note.title}</Link>
  <f.Form method="post" action="/?index"><input type="hidden" name="noteId" value={note.id}/><button name="intent" value="toggle" className="toggle">Toggle</button><button name="intent" value="remove" className="remove">Remove</button></f.Form></li>; }
export default function Home() { const d = useLoaderData(); return <><h1>Notes of {d.user}</h1><Form method="post" id="new"><input name="title"/><input name="body"/><button name="intent" value="create">Add</button></Form><ul>{d.notes.map((n) => <Note key={n.id} note={n}/>)}</ul></>; }
