/** A call to the channel: a message to a phone number. */
export interface ChannelCall {
  /** The channel's id of the account's phone number. */
  phoneNumberId: string;
  authorization: string;
  // deno-lint-ignore no-explicit-any -- the message as the channel received it
  message: any;
}

type Behaviour = (call: ChannelCall) => Response | Promise<Response>;

/** An imitation of the WhatsApp API. The attack sets its behaviour for each account. */
export type Channel = ReturnType<typeof startChannel>;

/** @param resources ends the imitation at the end of the run. */
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
  // If a call hangs, the shutdown waits until the caller has ended. Therefore, nothing waits for
  // the shutdown.
  resources.defer(() => void server.shutdown());
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    /** All calls in the order of their arrival, including calls without a response. */
    calls,
    /** Sets the behaviour for an account until the result is disposed of. */
    behave(phoneNumberId: string, behaviour: Behaviour): Disposable {
      behaviours.set(phoneNumberId, behaviour);
      return { [Symbol.dispose]: () => void behaviours.delete(phoneNumberId) };
    },
  };
}

/** Accepts a message. */
export function takes(): Response {
  return Response.json({
    messaging_product: "whatsapp",
    messages: [{ id: `wamid.${crypto.randomUUID()}`, message_status: "accepted" }],
  });
}
