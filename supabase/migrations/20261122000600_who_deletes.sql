-- Contacts and pipelines are deleted by owners and admins only, since nothing brings them back. So are stages:
-- without them, nothing is left of a pipeline. Agents go on adding and changing all of them.

drop policy "people delete their company's contacts" on public.contacts;
create policy "owners and admins delete their company's contacts" on public.contacts
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

drop policy "people delete their company's pipelines" on public.pipelines;
create policy "owners and admins delete their company's pipelines" on public.pipelines
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

drop policy "people delete their company's stages" on public.stages;
create policy "owners and admins delete their company's stages" on public.stages
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
