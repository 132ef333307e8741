// Prints how many zod schemas and zod checks a function builds when it is loaded:
// `deno run -A schema_count.ts <the function's index.ts>`. Every schema that is built at load delays
// the first response.

let count = 0;
// zod calls this for each schema and check.
Object.assign(globalThis, { __zod_globalConfig: { postProcessor: () => void count++ } });
await import(Deno.args[0]);
console.log(count);
