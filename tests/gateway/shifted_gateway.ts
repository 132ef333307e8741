// Runs the gateway in a separate process with a clock that is off by `CLOCK_MS`.
const { now } = Date;
const off = Number(Deno.env.get("CLOCK_MS"));
Date.now = () => now() + off;
const { default: gateway } = await import("../../supabase/functions/gateway/index.ts");
export default gateway;
