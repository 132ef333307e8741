// The smallest server for Deno.
export default { fetch: () => new Response("ready") };
