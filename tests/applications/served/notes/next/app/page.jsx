import { redirect } from "next/navigation";
import * as store from "../lib/store";
import { user } from "./actions";
import { New, Buttons } from "./parts";
import Link from "next/link";
export const dynamic = "force-dynamic";
export default async function Home() { if (!(await user())) redirect("/login"); return <><h1>Notes</h1><New/><ul>{store.list().map((n) => <li key={n.id} className={n.done ? "done" : ""}><Link href={`/notes/${n.id}`}>{n.title}</Link><Buttons id={n.id}/></li>)}</ul></>; }
