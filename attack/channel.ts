/** A call of the channel: a message for a phone. */
export interface ChannelCall {
  /** The channel's id of the account's phone number. */
  phoneNumberId: string;
  authorization: string;
  // deno-lint-ignore no-explicit-any -- the message as it came
  message: any;
}

type Behaviour = (call: ChannelCall) => Response | Promise<Response>;

/** A stand-in for the WhatsApp API that does what an attack needs, for each account apart. */
export type Channel = ReturnType<typeof startChannel>;

/** @param resources ends it. */
export function startChannel(resources: AsyncDisposableStack) {
  const behaviours = new Map<string, Behaviour>();
  const calls: ChannelCall[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const phoneNumberId = new URL(request.url).pathname.split("/").at(-2) ?? "";
      const authorization = request.headers.get("Authorization") ?? "";
      const call = { phoneNumberId, authorization, message: await request.json() };
      calls.push(call);
      return await (behaviours.get(phoneNumberId) ?? takes)(call);
    },
  );
  // A call that hangs keeps the shutdown waiting until its caller has ended.
  resources.defer(() => void server.shutdown());
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    /** In the order in which they came; those that were not answered among them. */
    calls,
    /** Behaves so towards an account until the result is disposed of. */
    behave(phoneNumberId: string, behaviour: Behaviour): Disposable {
      behaviours.set(phoneNumberId, behaviour);
      return { [Symbol.dispose]: () => void behaviours.delete(phoneNumberId) };
    },
  };
}

/** Takes a message. */
export function takes(): Response {
  return Response.json({
    messaging_product: "whatsapp",
    messages: [{ id: `wamid.${crypto.randomUUID()}`, message_status: "accepted" }],
  });
}
