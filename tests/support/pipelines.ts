import assert from "node:assert/strict";
import { statement } from "./test_stack.ts";

/**
 * Asserts that a company's pipelines, stages and deals obey the rules that apply to every caller.
 */
export async function assertInOrder(company_id: string): Promise<void> {
  const broken = await statement`
    select 'position of ' || name as rule from (
      select name, position, row_number() over (order by position) - 1 as place
      from pipelines where company_id = ${company_id} and archived_at is null
      union all
      select name, position, row_number() over (partition by pipeline_id order by position) - 1
      from stages where company_id = ${company_id} and archived_at is null
    ) as placed where position <> place
    union all
    select 'one default pipeline' from pipelines
    where company_id = ${company_id} and is_default having count(*) <> 1
    union all
    select 'the default pipeline is in use' from pipelines
    where company_id = ${company_id} and is_default and archived_at is not null
    union all
    select 'stages are archived with their pipeline' from stages join pipelines on pipelines.id = pipeline_id
    where stages.company_id = ${company_id} and pipelines.archived_at is not null and stages.archived_at is null
    union all
    select 'no deal is in an archived stage' from deals join stages on stages.id = stage_id
    where deals.company_id = ${company_id} and stages.archived_at is not null
    union all
    -- Each entry begins in the stage or status where the previous entry of its kind ended.
    select 'the history continues' from (
      select from_value, kind, lag(to_value) over (
        partition by deal_id, case kind when 'status_changed' then kind end order by at
      ) as before
      from deal_history where company_id = ${company_id}
    ) as entry where kind <> 'created' and from_value <> coalesce(before, 'open')
    union all
    select 'the history ends with the deal: ' || to_jsonb(deals)::text
    from deals
    cross join lateral (
      select
        (array_agg(to_value order by at desc) filter (where kind <> 'status_changed'))[1] as stage,
        coalesce((array_agg(to_value order by at desc) filter (where kind = 'status_changed'))[1], 'open') as status,
        max(at) filter (where kind <> 'status_changed') as moved_at,
        max(at) filter (where kind = 'status_changed' and to_value = status) as ended_at,
        count(*) filter (where kind = 'created') as creations
      from deal_history where deal_id = deals.id
    ) as told
    where deals.company_id = ${company_id} and not (
      told.stage = stage_id::text and told.status = deals.status and told.moved_at = stage_changed_at
      and creations = 1
      and won_at is not distinct from case deals.status when 'won' then ended_at end
      and lost_at is not distinct from case deals.status when 'lost' then ended_at end
    )
  `;
  assert.deepEqual(broken.map(({ rule }) => rule), []);
}
