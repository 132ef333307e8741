import process from "node:process";
import { newWorld } from "../whatsapp_function/told/world.ts";
import { fixture } from "../whatsapp_function/told/fixtures.ts";
import { ownWebhook } from "../support/channel_apps.ts";
import { withDatabase, environment } from "../support/test_stack.ts";
import { jobs } from "../../supabase/functions/whatsapp/jobs.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/config.ts";
import { readEvent } from "../../supabase/functions/whatsapp/reading/event.ts";
Deno.test("cpu", async () => {
  const world = await newWorld();
  const text = fixture("30", world.shift);
  const N = 300;
  await withDatabase(async (sql) => { for (let i=0;i<N;i++) { const b = text.replace(/wamid\.[^"]*/, `wamid.CPU${i}`); await sql`select store_channel_event(${world.app.app_key}, ${btoa(unescape(encodeURIComponent(b)))})`; } });
  const config = await readWhatsappConfig(environment());
  const run = jobs({...config, channelJobMs: 45000});
  const c = process.cpuUsage(); const t = performance.now();
  const r = await run({job:"channel-events"}, {function:"x", requestId:"x"} as any);
  const d = process.cpuUsage(c);
  console.log(JSON.stringify(r), "wall", performance.now()-t, "cpu ms", (d.user+d.system)/1000, "per event", (d.user+d.system)/1000/N);
  // webhook
  const own = await ownWebhook();
  const c2 = process.cpuUsage();
  for (let i=0;i<50;i++) { const a = await own.post(world.app, text.replace(/wamid\.[^"]*/, `wamid.W${i}`)); if (a.status!==200) console.log(a.status,a.text); }
  const d2 = process.cpuUsage(c2); console.log("webhook cpu per event", (d2.user+d2.system)/1000/50);
  const many = JSON.stringify({object:"whatsapp_business_account", entry:[{id: world.a.business_account_id, changes:[{field:"messages", value:{messaging_product:"whatsapp", metadata:{phone_number_id: world.shift.numbers+"1"}, statuses: Array.from({length:1000},(_,i)=>({id:`wamid.P${i}`,status:"delivered",timestamp:"1795262400",recipient_id:"5511987654321",recipient_user_id:`BR.${i}`,biz_opaque_callback_data:`${crypto.randomUUID()}.1`,pricing:{billable:true,pricing_model:"PMP",type:"regular",category:"utility"}}))}}]}]});
  readEvent(new TextEncoder().encode(many));
  const c3 = process.cpuUsage(); const t3=performance.now(); const a = await own.post(world.app, many); const d3 = process.cpuUsage(c3); console.log("1000 statuses", a.status, "cpu", (d3.user+d3.system)/1000, "wall", performance.now()-t3);
  const big = JSON.stringify({object:"whatsapp_business_account", entry:[{id: world.a.business_account_id, changes:[{field:"messages", value:{messaging_product:"whatsapp", metadata:{phone_number_id: world.shift.numbers+"1"}, messages: Array.from({length:45},(_,i)=>({id:`wamid.B${i}`,from:"5511987654321",timestamp:"1795262400",type:"text",text:{body:"é".repeat(32000)}}))}}]}]});
  const m0 = process.memoryUsage(); const c4 = process.cpuUsage(); const t4=performance.now(); const b = await own.post(world.app, big); const d4 = process.cpuUsage(c4); console.log("3MB", big.length, b.status, "cpu", (d4.user+d4.system)/1000, "wall", performance.now()-t4, "rss +MB", (process.memoryUsage().rss-m0.rss)/1e6);
});
