-- A contact that the channel makes has the name of the person's profile, until somebody names it.

alter table public.contacts add column profile_name_at timestamptz;
comment on column public.contacts.profile_name_at is
  'When the person wrote with the profile name that is the name of the contact; null when the name is the company''s own.';

create function app.note_own_name() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.profile_name_at is not distinct from old.profile_name_at then
    new.profile_name_at := null;
  end if;
  return new;
end
$$;
comment on function app.note_own_name() is
  'Trigger: a name that is not written together with the time of the profile is the company''s own.';

create trigger contacts_note_own_name before update of name on public.contacts
  for each row when (new.name is distinct from old.name) execute function app.note_own_name();
