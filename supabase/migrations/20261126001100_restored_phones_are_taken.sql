-- A contact that is restored does not take the phone that another one has besides, whoever restores it: a person at the
-- Data API, or a key while the two that had it are being merged. Else a person who asked not to be contacted would be
-- reached under it.

-- After the row: whoever merges the contact that has the phone may have committed only while this waited for it. Also for
-- the platform, by whose rights app.unarchive_contact() restores: that looks again, and finds the contact.
create trigger contacts_refuse_further_phone_when_restored after update of archived_at on public.contacts
  for each row when (old.archived_at is not null and new.phone_key is not null)
  execute function app.refuse_further_phone();
comment on function app.refuse_further_phone() is
  'Trigger: a key or a person does not give a contact the further phone of another one, and a restored contact does not '
  'have it. The channel may give it: it knows whose phone it is.';
