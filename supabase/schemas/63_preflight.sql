-- The preflight check. The claim of a template send checks the send against the stored template, in the same database
-- call. The claim refuses a send that WhatsApp would certainly refuse. The caller can use the idempotency key of a
-- refused send again. Every send is checked and rendered, so app.rendered_text() and app.template_faults() must be
-- fast. These two functions contain no queries and call no other function of the schema, because each query and each
-- call takes time.

create function app.rendered_text(rendering jsonb, header_variables text[], body_variables text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  part text;
  given text[];
  pieces jsonb;
  text text;
  rendered text;
begin
  foreach part in array array['header', 'body'] loop
    pieces := rendering -> part;
    continue when jsonb_typeof(pieces) is distinct from 'array' or pieces = '[]';
    given := case part when 'header' then header_variables else body_variables end;
    text := '';
    for place in 0 .. jsonb_array_length(pieces) - 1 loop
      text := text || case jsonb_typeof(pieces -> place)
        when 'number' then coalesce(given[(pieces -> place)::integer + 1], '')
        else pieces ->> place
      end;
    end loop;
    rendered := concat_ws(e'\n\n', rendered, text);
  end loop;

  text := null;
  for place in 0 .. jsonb_array_length(rendering -> 'buttons') - 1 loop
    text := concat_ws(' ', text, format('[%s]', rendering -> 'buttons' ->> place));
  end loop;
  return left(concat_ws(e'\n\n', rendered, rendering ->> 'footer', text), 65536);
end
$$;
comment on function app.rendered_text(jsonb, text[], text[]) is
  'Returns the text of a template (templates.rendering) as the recipient sees it. The text contains the header and the '
  'body with their variables filled in, the footer, and the button labels. An empty line separates these parts.';

create function app.template_faults(
  template public.templates,
  media_type text,
  has_own_media boolean,
  header_variables text[],
  body_variables text[],
  button_variables text[]
) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  faults jsonb := '[]';
  part text;
  given text[];
  takes integer;
begin
  if template.status <> 'APPROVED' then
    faults := faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'status', 'status', template.status, 'since', template.status_since
    );
  end if;
  if media_type is not null and upper(media_type) is distinct from template.header_format then
    faults := faults || jsonb_build_object(
      'field', 'template_header_type', 'fault', 'header', 'header', template.header_format
    );
  end if;
  if template.unsupported <> '{}' then
    -- The platform does not know the requirements of such a template, so it cannot check the values.
    return faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'unsupported', 'parts', template.unsupported
    );
  end if;
  if template.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') and template.sample_source is null
    and not has_own_media then
    faults := faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'media', 'reason', template.media_problem
    );
  end if;

  foreach part in array array['header', 'body', 'button'] loop
    given := case part when 'header' then header_variables when 'body' then body_variables else button_variables end;
    takes := jsonb_array_length(template.variables -> case part when 'button' then 'buttons' else part end);
    if cardinality(given) <> takes then
      faults := faults || jsonb_build_object(
        'field', part || '_variables', 'fault', 'count', 'takes', takes, 'got', cardinality(given)
      );
    end if;
    for place in 1 .. coalesce(cardinality(given), 0) loop
      -- WhatsApp refuses an empty value, and these characters in a value.
      if given[place] = '' or given[place] ~ e'[\n\r\t]| {5}' then
        faults := faults || jsonb_build_object(
          'field', format('%s_variables.%s', part, place - 1),
          'fault', case given[place] when '' then 'empty' else 'characters' end
        );
      end if;
    end loop;
  end loop;
  return faults;
end
$$;
comment on function app.template_faults(public.templates, text, boolean, text[], text[], text[]) is
  'Returns why a template cannot be sent with these values, as an array of faults, each with its field. The array is '
  'empty when the template can be sent. The argument media_type is the type of the header''s media file according to '
  'the request: image, video, document or null. The argument has_own_media is true if the request contains a file for '
  'the header.';

create function app.judge_template(
  own_company_id uuid,
  of_business_account_id text,
  by_name text,
  in_language text,
  media_type text,
  has_own_media boolean,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text,
  -- The verdict is `go`, `refused` or `reread`. The verdict `reread` means that the stored template is outdated, or
  -- that it has a fault and may be outdated.
  out verdict text,
  out faults jsonb,
  -- Null when the template is unknown.
  out template public.templates
)
language plpgsql stable
set search_path = ''
as $$
declare
  known record;
  reread record;
  languages text[];
  -- When WhatsApp reported a change that the stored template may lack. Null when there is no such report.
  hinted_at timestamptz;
  is_fresh boolean;
  may_reread boolean;
begin
  verdict := 'go';
  if preflight = 'off' then
    return;
  end if;
  select templates as template,
    -- A change in the template's quality does not prevent a send.
    (
      select max(hints.told_at) from public.template_hints as hints
      where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
        and hints.name = by_name and hints.language = in_language and hints.kind <> 'quality'
    ) as hinted_at
  into known
  from public.template_catalogues as catalogues
  left join public.templates on templates.company_id = catalogues.company_id
    and templates.business_account_id = catalogues.business_account_id
    and templates.name = by_name and templates.language = in_language and templates.status <> 'DELETED'
  where catalogues.company_id = own_company_id and catalogues.business_account_id = of_business_account_id
    and catalogues.synced_at is not null;
  if not found then
    return; -- there is no catalogue
  end if;
  template := known.template;
  hinted_at := known.hinted_at;
  if template.id is not null then
    faults := app.template_faults(
      template, media_type, has_own_media, header_variables, body_variables, button_variables
    );
    if hinted_at <= template.read_at then
      hinted_at := null;
    end if;
    if faults = '[]' and hinted_at is null then
      return;
    end if;
  end if;
  select tried_at, read_at into reread from public.template_rereads as rereads
  where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
    and rereads.name = by_name;
  if template.id is not null then
    is_fresh := template.read_at > now() - interval '10 minutes';
  else
    languages := array(
      select templates.language from public.templates
      where templates.company_id = own_company_id and templates.business_account_id = of_business_account_id
        and templates.name = by_name and templates.status <> 'DELETED'
      order by 1
    );
    faults := case when languages = '{}'
      then jsonb_build_array(jsonb_build_object('field', 'template_name', 'fault', 'unknown'))
      else jsonb_build_array(
        jsonb_build_object('field', 'language_code', 'fault', 'language', 'languages', languages)
      )
    end;
    -- The template may be new. If the last read did not find the template, this result is used for only a minute.
    is_fresh := reread.read_at > now() - interval '1 minute';
    if hinted_at <= reread.read_at then
      hinted_at := null;
    end if;
  end if;

  if is_fresh and hinted_at is null then
    verdict := 'refused';
    return;
  end if;
  may_reread := preflight = 'first' and (
    -- The templates with the same name are read again at most once a minute. If another request is reading them now,
    -- this request may wait for the result.
    reread.tried_at is null or reread.tried_at <= now() - interval '1 minute'
    or (reread.tried_at > now() - interval '15 seconds' and coalesce(reread.read_at < reread.tried_at, true))
  ) and (
    -- A caller that tries many names must not use up the account's request limit at WhatsApp.
    select count(*) < 20 from public.template_rereads as rereads
    where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
      and rereads.tried_at > now() - interval '1 minute'
  );
  if may_reread then
    verdict := 'reread';
  elsif hinted_at is not null and exists (
    -- The template cannot be read again now, but WhatsApp has recently reported that the template cannot be sent. Only
    -- faults of the template itself are returned, because the other faults may be outdated.
    select from public.template_hints as hints
    where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
      and hints.name = by_name and hints.language = in_language and hints.kind = 'status'
      and hints.value ->> 'status' <> 'APPROVED' and hints.happened_at > now() - interval '10 minutes'
      and least(hints.happened_at + interval '1 second', hints.told_at)
        > coalesce(template.read_at, reread.read_at, '-infinity')
  ) then
    verdict := 'refused';
    faults := jsonb_path_query_array(
      faults, '$[*] ? (@.field == "template_name" || @.field == "language_code")'
    );
  end if;
end
$$;
comment on function app.judge_template(uuid, text, text, text, text, boolean, text[], text[], text[], text) is
  'Decides from the stored templates whether a send can continue. Refuses the send only for a fault that was read from '
  'WhatsApp, or that WhatsApp reported, within the last ten minutes. For an older fault, or after a change that '
  'WhatsApp reported, the template is read again first. The templates with the same name are read again at most once a '
  'minute. If the template cannot be read again now, the send continues, and WhatsApp accepts or refuses the message. '
  'The argument `preflight` is `off` (no check), `first` or `last`. The verdict can be `reread` only with `first`. The '
  'value `last` is for the next call, after the template was read again or could not be read.';
