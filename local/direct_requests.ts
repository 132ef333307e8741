// Programs that send requests to the stack import this module first. Otherwise, where HTTP_PROXY is
// set, Deno would send even requests to this machine through the proxy. Child processes inherit the
// variables.

const { NO_PROXY, no_proxy } = Deno.env.toObject();
// Programs differ in which of the two variables they prefer.
const hosts = { NO_PROXY: NO_PROXY || no_proxy, no_proxy: no_proxy || NO_PROXY };
for (const [name, others] of Object.entries(hosts)) {
  const all = [...(others ?? "").split(","), "127.0.0.1", "localhost"];
  Deno.env.set(name, Array.from(new Set(all.map((host) => host.trim()).filter(Boolean))).join());
}
