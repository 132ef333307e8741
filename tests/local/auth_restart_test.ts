// Tests that the data about users is kept in the data folder.
import assert from "node:assert/strict";
import { signIn } from "../support/people.ts";
import { startOn, withFolder } from "../support/started.ts";

Deno.test("a chosen password and its session survive a restart", async () => {
  await withFolder(async (folder) => {
    const first = await startOn(folder);
    const [owner, agent] = first.stack.people!;
    const { client } = await signIn(owner, first.stack);
    const password = "a password of her own";
    assert.equal((await client.auth.updateUser({ password })).error, null);
    const { data: { session } } = await client.auth.getSession();
    assert.deepEqual(await first.started.end(), [0, ""]);

    const second = await startOn(folder);
    assert.deepEqual(second.stack.people, [{ ...owner, password: null }, agent]);
    assert.match(second.started.out, /\(owner\) with the password that the person chose\n/);
    await signIn({ ...owner, password }, second.stack);
    const { client: again } = await signIn(agent, second.stack);
    const refreshed = await again.auth.refreshSession({ refresh_token: session!.refresh_token });
    assert.equal(refreshed.data.user?.email, owner.email);
    assert.deepEqual(await second.started.end(), [0, ""]);
  });
});
