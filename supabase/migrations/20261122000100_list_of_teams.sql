-- A key lists its company's teams: what team_id of a conversation may be.

create index teams_newest_first_idx on public.teams (company_id, created_at desc, id desc);
-- As with deals: told that there is one company, the planner reads a page from the index.
alter table public.teams alter column company_id set (n_distinct = 1);

create policy "a key reads its company's teams" on public.teams
  for select to api_client using (company_id = (select app.company_id()));
grant select on public.teams to api_client;
