import { Form, redirect, useActionData, createCookie } from "react-router";
import { randomBytes } from "node:crypto";
import { sessions } from "../store.server.js";
export async function action({ request }) {
  const d = await request.formData();
  if (d.get("password") !== "secret-tea") return { wrong: true };
  const sid = randomBytes(18).toString("base64url"); sessions.set(sid, d.get("user"));
  return redirect("/", { headers: { "Set-Cookie": `sid=${sid}; Path=/; HttpOnly` } });
}
export default function Login() { const a = useActionData(); return <Form method="post">{a?.wrong && <p className="error">Wrong password</p>}<input name="user"/><input name="password" type="password"/><button>Log in</button></Form>; }
