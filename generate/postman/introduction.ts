/** The description of the collection, which Postman shows as Markdown. */
export const INTRODUCTION =
  `Every operation of the CRM and messaging API once, with the checks of its answer.

**Before the first request**, set two variables of the collection:

| variable | value |
|---|---|
| \`baseUrl\` | the address of the functions, without a slash at the end: \`http://127.0.0.1:54321/functions/v1\` for a stack on this machine, \`https://<project>.supabase.co/functions/v1\` for a hosted project |
| \`apiKey\` | an API key with the scopes read, write, messaging and webhooks; keep it in the current value, which is not exported |

**A run from top to bottom** makes records of its own and passes their ids on: three contacts, a pipeline, three deals, a template send. It merges, erases and archives only its own records. Make such a run on the local stack or on a project for trials, because the template send is real, to a phone number that no country uses. The reply is a dry run. Requests for records that your company does not have are left out.

**Single requests** work after the requests above them that store their ids.

Written by npm run generate; do not edit.`;
