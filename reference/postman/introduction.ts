/** The description of the collection, which Postman shows as Markdown. */
export const INTRODUCTION =
  `Every operation of the CRM and messaging API once, with the checks of its answer.

**Before the first request**, set two variables of the collection:

| variable | value |
|---|---|
| \`baseUrl\` | the address of the functions, without a slash at the end: \`http://127.0.0.1:54321/functions/v1\` of a stack on this machine, \`https://<project>.supabase.co/functions/v1\` of a hosted project |
| \`apiKey\` | an API key with the scopes read, write and messaging; keep it in the current value, which is not exported |

**A run from top to bottom** makes records of its own and passes their ids on: three contacts, a pipeline, three deals, a template send. It merges, erases and archives only what it has made. Make such a run on the local stack or on a project for trials, since the template send is a real one, to a phone that no country has. The reply is a dry run. Requests of single records that not every company has are left out when there are none.

**Single requests** work after those that keep their ids, which are above them.

Written by npm run generate; do not edit.`;
