import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addChannelApp } from "../support/channel_apps.ts";
Deno.test("number changed on an account", async () => {
  const x = await newCompany(), y = await newCompany();
  await rolledBack(async (sql) => {
    const app = await addChannelApp(sql);
    // Y had N from -10d to -2d; X was connected with another number since -9d and takes N now
    const [{n}] = await sql`select phone_number_id as n from messaging_accounts where id=${y.account_id}`;
    await sql`update messaging_accounts set channel_app_id=${app.id} where id in (${x.account_id}, ${y.account_id})`;
    await sql`update account_connections set connected_at = now()-interval '10 days' where account_id=${y.account_id}`;
    await sql`update account_connections set connected_at = now()-interval '9 days' where account_id=${x.account_id}`;
    await sql`update messaging_accounts set disconnected_at = now()-interval '2 days', encrypted_token=null where id=${y.account_id}`;
    await sql`update messaging_accounts set phone_number_id = ${n} where id=${x.account_id}`;
    const [{a}] = await sql`select app.account_at(app.accounts_of_app(${app.id}, ${n}, null), ${n}, now()-interval '5 days') as a`;
    console.log("holder 5 days ago is", a===y.account_id?"Y right":a===x.account_id?"X WRONG":a);
  });
});
