import { notFound, redirect } from "next/navigation";
import * as store from "../../../lib/store";
import { user } from "../../actions";
import { Edit } from "../../parts";
import Link from "next/link";
export const dynamic = "force-dynamic";
export default async function Note({ params }) { if (!(await user())) redirect("/login"); const n = store.get((await params).id); if (!n) notFound(); return <><h1>{n.title}</h1><Edit note={{ ...n }}/><Link href="/">Back</Link></>; }
