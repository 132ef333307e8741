// The most that a function on Hono could do: answers what is known beforehand.

import { Hono } from "hono";

const body = Deno.env.get("BODY") ?? "{}";
const app = new Hono().all("*", (c) => c.body(body, 200, { "Content-Type": "application/json" }));

export default { fetch: app.fetch };
