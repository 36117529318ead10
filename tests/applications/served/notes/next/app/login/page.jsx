"use client";
import { useActionState } from "react";
import { login } from "../actions";
export default function Login() { const [state, action] = useActionState(login, null); return <form action={action}>{state?.wrong && <p className="error">Wrong password</p>}<input name="user"/><input name="password" type="password"/><button>Log in</button></form>; }
