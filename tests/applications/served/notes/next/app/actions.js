"use server";
import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { revalidatePath } from "next/cache";
import { randomBytes } from "node:crypto";
import * as store from "../lib/store";
export async function user() { return store.sessions.get((await cookies()).get("sid")?.value); }
export async function login(_, d) { if (d.get("password") !== "secret-tea") return { wrong: true }; const sid = randomBytes(18).toString("base64url"); store.sessions.set(sid, d.get("user")); (await cookies()).set("sid", sid, { httpOnly: true }); redirect("/"); }
export async function create(_, d) { if (!(await user())) redirect("/login"); const x = store.add(d.get("title"), d.get("body")); revalidatePath("/"); return { created: x.id }; }
export async function toggle(id) { if (!(await user())) redirect("/login"); const x = store.toggle(id); revalidatePath("/"); return x ? { ok: true } : { error: "no such note" }; }
export async function removeNote(id) { if (!(await user())) redirect("/login"); const ok = store.remove(id); revalidatePath("/"); return ok ? { ok } : { error: "no such note" }; }
export async function save(id, version, _, d) { if (!(await user())) redirect("/login"); const wrong = store.edit(id, version, { title: d.get("title"), body: d.get("body") }); if (wrong) return { wrong }; revalidatePath("/"); redirect("/"); }
