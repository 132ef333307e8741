// The least that Deno can be started with.
export default { fetch: () => new Response("ready") };
