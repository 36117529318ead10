import { Form, Link, redirect, useActionData, useLoaderData } from "react-router";
import * as store from "../store.server.js";
export function loader({ params }) { const note = store.get(params.id); if (!note) throw new Response("no such note", { status: 404 }); return { note }; }
export async function action({ request, params }) { const d = await request.formData(); const wrong = store.edit(params.id, d.get("version"), { title: d.get("title"), body: d.get("body") }); if (wrong) return { wrong }; return redirect("/"); }
export default function Note() { const { note } = useLoaderData(); const a = useActionData(); return <><h1>{note.title}</h1>{a?.wrong && <p className="error">{a.wrong}</p>}<Form method="post"><input type="hidden" name="version" value={note.version}/><input name="title" defaultValue={note.title}/><textarea name="body" defaultValue={note.body}/><button id="save">Save</button></Form><Link to="/">Back</Link></>; }
