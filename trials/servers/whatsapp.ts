// Imitates the WhatsApp API. It accepts every message. Under /after/<ms>/, it waits for this number
// of milliseconds before it responds.

import { delay } from "deno-std/async/delay.js";

export default {
  async fetch(request: Request): Promise<Response> {
    await request.body?.cancel();
    const ms = Number(new URL(request.url).pathname.split("/")[2]);
    if (ms > 0) await delay(ms);
    const message = { id: `wamid.${crypto.randomUUID()}`, message_status: "accepted" };
    return Response.json({ messaging_product: "whatsapp", messages: [message] });
  },
};
