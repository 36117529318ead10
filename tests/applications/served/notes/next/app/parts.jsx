"use client";
import { useActionState } from "react";
import { create, toggle, removeNote, save } from "./actions";
export function New() { const [s, action] = useActionState(create, null); return <form id="new" action={action}><input name="title"/><input name="body"/><button>Add</button></form>; }
export function Buttons({ id }) { return <><button className="toggle" onClick={() => toggle(id)}>Toggle</button><button className="remove" onClick={() => removeNote(id)}>Remove</button></>; }
export function Edit({ note }) { const [s, action] = useActionState(save.bind(null, note.id, note.version), null); return <form action={action}>{s?.wrong && <p className="error">{s.wrong}</p>}<input name="title" defaultValue={note.title}/><textarea name="body" defaultValue={note.body}/><button id="save">Save</button></form>; }
