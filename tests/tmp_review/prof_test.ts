import { readEvent } from "../../supabase/functions/whatsapp/reading/event.ts";
import { newWorld } from "../whatsapp_function/told/world.ts";
import { rolledBack } from "../support/acting_as.ts";
import { asSuperuser } from "../support/test_stack.ts";
Deno.test({
  name: "prof",
  fn: async () => {
    const world = await newWorld();
    const now = Math.floor(Date.now() / 1000);
    const run = async (name: string, n: number, item: (i: number) => unknown, prep?: any) =>
      await rolledBack(async (sql) => {
        if (prep) await prep(sql);
        await sql`set local track_functions='all'`;
        const items = Array.from({ length: n }, (_, i) => item(i));
        for (let r = 0; r < 4; r++) {
          const part = items.slice(r * n / 4, (r + 1) * n / 4);
          const t = performance.now();
          await sql`select app.apply_items(${world.app.id}, ${
            sql.json(part as any)
          }, now() + interval '1 minute')`;
          console.log(name, "ms per item", ((performance.now() - t) / n * 4).toFixed(2));
        }
        const f =
          await sql`select funcname, calls, round(total_time::numeric,0) as total, round(self_time::numeric,0) as self, round((self_time/calls)::numeric,2) as each from pg_stat_xact_user_functions where calls>50 order by self_time desc limit 14`;
        for (const x of f) console.log("   ", x.funcname, x.calls, x.total, x.self, x.each);
      });
    const base = {
      waba: world.a.business_account_id,
      phone_number_id: world.shift.numbers + "1",
      at: new Date(now * 1000).toISOString(),
    };
    await run("messages of new", 400, (i) => ({
      kind: "message",
      ...base,
      id: `wamid.Q${i}`,
      type: "text",
      content: "oi",
      payload: null,
      media: null,
      answers: null,
      word: null,
      has_own_phone: false,
      person: {
        phone: `+55119${10000000 + i}`,
        user_id: `BR.Z${i}`,
        name: `P${i}`,
        username: null,
      },
    }));
    await run(
      "statuses",
      400,
      (i) => ({
        kind: "status",
        ...base,
        id: `wamid.P${i}`,
        status: "delivered",
        mark: null,
        recipient_user_id: `BR.S`,
        failure: null,
        price: null,
      }),
      (sql: any) =>
        sql`
      with written as (
        insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
        select ${world.a.id}, (select conversation_id from messages where id=${
          world.message_ids[1]
        }), 'outbound', 'Hello', 'accepted', 'wamid.P' || n
        from generate_series(0, 999) as n returning id, whatsapp_message_id)
      insert into sends (company_id, message_id, template_name, language_code, claim_id, state, whatsapp_message_id)
      select ${world.a.id}, id, 'order_update', 'pt_BR', gen_random_uuid(), 'sent', whatsapp_message_id from written`,
    );
  },
});
