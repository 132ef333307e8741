import { newWorld } from "../whatsapp_function/told/world.ts";
import { asSuperuser } from "../support/test_stack.ts";
import { newCompany } from "../support/company.ts";
import { nameChannelApp } from "../support/channel_apps.ts";
import { actAs, actAsSuperuser } from "../support/acting_as.ts";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
const pick = <T>(l: T[]) => l[Math.floor(Math.random() * l.length)];
Deno.test({
  name: "storm",
  fn: async () => {
    const company = await newCompany();
    const app = await asSuperuser((sql) => nameChannelApp(sql as any, company.account_id));
    const [acc] = await asSuperuser((sql) =>
      sql`select phone_number_id, business_account_id from messaging_accounts where id=${company.account_id}`
    );
    const salt = String(1e5 + Math.floor(Math.random() * 9e5));
    const phones = Array.from({ length: 6 }, (_, i) => `+55119${salt}${i}${i}`.slice(0, 14));
    const ids = Array.from({ length: 6 }, (_, i) => `BR.${salt}${i}`);
    const wamids: string[] = [];
    const marks: any[] = [];
    const replies: string[] = [];
    let n = 0;
    const errs: Record<string, number> = {};
    const cnt: Record<string, number> = {};
    const note = (k: string, e: any) => {
      const m = `${k}: ${e.code} ${String(e.message).slice(0, 110)} ${
        e.where ? String(e.where).split("\n")[0].slice(0, 90) : ""
      }`;
      errs[m] = (errs[m] ?? 0) + 1;
    };
    const at = () =>
      new Date(Math.floor(Date.now() / 1000 - Math.random() * 20) * 1000).toISOString();
    const person = () => {
      const i = Math.floor(Math.random() * 6);
      const r = Math.random();
      return {
        phone: r < 0.3 ? null : phones[r < 0.4 ? Math.floor(Math.random() * 6) : i],
        user_id: r > 0.8 ? null : ids[i],
        name: "P" + i,
        username: null,
      };
    };
    const item = () => {
      const base = {
        waba: acc.business_account_id,
        phone_number_id: acc.phone_number_id,
        at: at(),
      };
      const r = Math.random();
      const w = () => pick(wamids) ?? "wamid.none";
      const m = () => pick(marks) ?? null;
      if (r < 0.35) {
        const id = `wamid.I${n++}${salt}`;
        wamids.push(id);
        return {
          kind: "message",
          ...base,
          id,
          type: "text",
          content: "oi",
          payload: null,
          media: null,
          answers: Math.random() < 0.3 ? w() : null,
          word: pick([null, null, "stop", "start"]),
          has_own_phone: false,
          person: person(),
        };
      }
      if (r < 0.7) {
        const failed = Math.random() < 0.4;
        const mk = m();
        return {
          kind: "status",
          ...base,
          id: mk ? `wamid.S${mk.send_id}${mk.attempt}` : w(),
          status: failed ? "failed" : pick(["sent", "delivered", "read"]),
          mark: mk && Math.random() < 0.7 ? mk : null,
          recipient_user_id: Math.random() < 0.3 ? pick(ids) : null,
          failure: failed
            ? {
              reason: "x",
              code: pick([131047, 131050, 131026, 132001]),
              message: null,
              details: null,
            }
            : null,
          price: null,
        };
      }
      if (r < 0.8) {
        return { kind: "reaction", ...base, id: "x", target: w(), emoji: "a", person: person() };
      }
      if (r < 0.86) {
        return {
          kind: "system",
          ...base,
          id: `wamid.Y${n++}${salt}`,
          content: "x",
          payload: null,
          person: person(),
          change: { phone: pick(phones), user_id: pick([null, ...ids]) },
        };
      }
      if (r < 0.92) {
        return { kind: "preference", ...base, value: pick(["stop", "resume"]), person: person() };
      }
      if (r < 0.96) {
        return {
          kind: "identity",
          ...base,
          person: person(),
          change: { phone: null, user_id: pick(ids) },
        };
      }
      return { kind: "edit", ...base, id: "x", target: w(), content: "e", person: person() };
    };
    const dl = async () =>
      (await asSuperuser((sql) =>
        sql`select deadlocks from pg_stat_database where datname=current_database()`
      ))[0].deadlocks;
    const before = await dl();
    const until = Date.now() + 25000;
    const hk = await hashKey(company.keys.messaging);
    const hw = await hashKey(company.keys.write ?? company.keys.messaging);
    const worker = async (k: string, work: (sql: any) => Promise<void>) =>
      await asSuperuser(async (sql) => {
        while (Date.now() < until) {
          try {
            await sql.begin(async (s: any) => {
              await work(s);
            });
            cnt[k] = (cnt[k] ?? 0) + 1;
          } catch (e) {
            note(k, e);
          }
        }
      });
    const states: Record<string, number> = {};
    const receive = async (sql: any) => {
      const items = Array.from({ length: 1 + Math.floor(Math.random() * 12) }, item);
      await sql`select set_config('lock_timeout','5s',true), set_config('statement_timeout','20s',true)`;
      const [{ r }] = await sql`select receive_channel_event(${app.app_key}, ${
        btoa("e" + (n++) + salt)
      }, ${sql.json(items)}, null) as r`;
      states[r.state + (r.failed ? " failed" : "") + (r.delayed ? " delayed" : "")] =
        (states[r.state + (r.failed ? " failed" : "") + (r.delayed ? " delayed" : "")] ?? 0) + 1;
      if (r.failed) {
        const [{ error }] = await sql`select error from channel_events where id=${r.event_id}`;
        note("item", { code: "", message: error });
      }
    };
    const send = async () =>
      await asSuperuser(async (sql) => {
        while (Date.now() < until) {
          const claim_id = crypto.randomUUID();
          let c: any = null;
          try {
            await sql.begin(async (s: any) => {
              await s`select set_config('lock_timeout','1s',true), set_config('statement_timeout','8s',true)`;
              await actAs(s, "api_client", { key_hash: hk, scope: "messaging" });
              const convs = replies;
              if (Math.random() < 0.5 || !convs.length) {
                const [{ a }] = await s`select claim_template_send(claim_id=>${claim_id}, phone=>${
                  pick(phones)
                }, content=>'x', message_type=>'text', template_name=>'order_update', language_code=>'pt_BR', idempotency_key=>${
                  "k" + Math.floor(Math.random() * 200)
                }) as a`;
                c = a;
              } else {
                const [{ a }] =
                  await s`select claim_reply(claim_id=>${claim_id}, conversation_id=>${
                    pick(convs)
                  }, content=>'x') as a`;
                c = a;
              }
            });
            cnt["claim " + c.result] = (cnt["claim " + c.result] ?? 0) + 1;
          } catch (e) {
            note("claim", e);
            continue;
          }
          if (c.result !== "claimed") {
            continue;
          }
          const mk = { send_id: c.send_id, attempt: c.attempt };
          marks.push(mk);
          replies.push(c.conversation_id);
          const o = Math.random();
          const w = `wamid.S${c.send_id}${c.attempt}`;
          if (o < 0.5) {
            wamids.push(w);
          }
          for (let i = 0; i < 4; i++) {
            try {
              await sql.begin(async (s: any) => {
                await s`select set_config('lock_timeout','1s',true)`;
                await actAs(s, "api_client", { key_hash: hk, scope: "messaging" });
                if (
                  o < 0.5
                ) {
                  await s`select settle_send(claim_id=>${claim_id}, outcome=>'sent', whatsapp_message_id=>${w})`;
                } else if (
                  o < 0.8
                ) {
                  await s`select settle_send(claim_id=>${claim_id}, outcome=>'failed', reason=>'x', channel_code=>${
                    pick([131047, 131050, 131053])
                  })`;
                } else {
                  await s`select settle_send(claim_id=>${claim_id}, outcome=>'released', reason=>'x')`;
                }
              });
              cnt.settle = (cnt.settle ?? 0) + 1;
              break;
            } catch (e) {
              note("settle", e);
            }
          }
        }
      });
    await Promise.all([
      worker("event", receive),
      worker("event", receive),
      worker("event", receive),
      worker("event", receive),
      send(),
      send(),
      send(),
      worker("patch", async (s) => {
        await s`select set_config('lock_timeout','1s',true)`;
        const [c] =
          await s`select id from contacts where company_id=${company.id} order by random() limit 1`;
        await s`update contacts set do_not_contact=${
          Math.random() < 0.1
        }, name='x' where id=${c?.id}`;
      }),
      worker("conv", async (s) => {
        await s`select set_config('lock_timeout','1s',true)`;
        const [c] =
          await s`select id from conversations where company_id=${company.id} order by random() limit 1`;
        if (c) {
          await s`update conversations set status=${
            pick(["open", "closed", "pending"])
          } where id=${c.id}`.catch((e: any) => {
            if (e.code !== "23505") throw e;
            else throw { code: "23505", message: "dup ok" };
          });
        }
      }),
      worker("delete", async (s) => {
        await new Promise((r) => setTimeout(r, 300));
        await s`select set_config('lock_timeout','1s',true)`;
        const [c] =
          await s`select id from contacts where company_id=${company.id} order by random() limit 1`;
        await s`delete from contacts where id=${c?.id}`;
      }),
      worker("tend", async (s) => {
        const [{ r }] = await s`select tend_channel(1000) as r`;
        if (r.failures.length) note("tend", { message: r.failures.join() });
        await s`select fail_expired_sends()`;
        await new Promise((r) => setTimeout(r, 100));
      }),
    ]);
    console.log("deadlocks", Number(await dl()) - Number(before));
    console.log(cnt, states);
    for (const [k, v] of Object.entries(errs)) console.log(v, k);
    console.log(
      await asSuperuser(async (
        sql,
      ) => [
        ...await sql`select state, count(*)::int, count(next_attempt_at)::int as due, max(error) as err from channel_events where channel_app_id=${app.id} group by 1`,
      ]),
    );
  },
});
