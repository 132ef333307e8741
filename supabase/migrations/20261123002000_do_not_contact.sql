-- Why and since when a contact is not to be contacted. People and keys say so by hand; a person says so by a word, and
-- takes it back by another. Words come late, twice and in any order, and the same words always give the same end.
--
-- What was said by hand is do_not_contact with the source manual and its time; what was said by words are the times of
-- the newest of each. From these, the trigger derives do_not_contact.

create function app.decide_do_not_contact() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if new.do_not_contact and new.do_not_contact_source is null then
      new.do_not_contact_source := 'manual';
      new.do_not_contact_at := now();
    end if;
    return new;
  end if;
  -- No caller may write the source or the time, so whoever changes the value alone does it by hand.
  if new.do_not_contact <> old.do_not_contact
    and (new.do_not_contact_source, new.do_not_contact_at, new.stop_word_at, new.start_word_at)
      is not distinct from (old.do_not_contact_source, old.do_not_contact_at, old.stop_word_at, old.start_word_at)
  then
    new.do_not_contact_source := 'manual';
    new.do_not_contact_at := now();
  end if;
  -- A word does not undo what was set by hand, nor does it win when it is older than a change by hand.
  if new.stop_word_at is not null and (
    new.do_not_contact_source is distinct from 'manual'
    or (not new.do_not_contact and new.stop_word_at >= new.do_not_contact_at)
  ) then
    -- Of two words of one second, the stop wins.
    new.do_not_contact := new.start_word_at is null or new.stop_word_at >= new.start_word_at;
    new.do_not_contact_source := 'word';
    new.do_not_contact_at := case when new.do_not_contact then new.stop_word_at else new.start_word_at end;
  end if;
  return new;
end
$$;
comment on function app.decide_do_not_contact() is
  'Trigger: notes that do_not_contact is changed by hand, and derives it from the words of the person.';

create trigger contacts_decide_do_not_contact
  before insert
    or update of do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at
  on public.contacts
  for each row execute function app.decide_do_not_contact();

create function app.note_word(own_company_id uuid, of_contact_id uuid, word text, at timestamptz) returns void
language sql
set search_path = ''
as $$
  update public.contacts set
    stop_word_at = case word when 'stop' then greatest(stop_word_at, at) else stop_word_at end,
    start_word_at = case word when 'start' then greatest(start_word_at, at) else start_word_at end
  where company_id = own_company_id and id = of_contact_id
    and at > coalesce(case word when 'stop' then stop_word_at when 'start' then start_word_at end, '-infinity')
$$;
comment on function app.note_word(uuid, uuid, text, timestamptz) is
  'Notes that a person said the word stop or start at this time. One that is not the newest changes nothing.';
