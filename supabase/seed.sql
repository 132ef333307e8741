-- Demo data: Ondalva, an invented company that sells and services coffee equipment in many countries.
--
-- Ids are fixed, so that examples and bookmarks survive a reset. The first block of an id shows the kind of the row:
--   de300000 company   de300001 person   de300002 team      de300003 messaging account
--   de300004 pipeline  de300005 stage    de300006 contact   de300007 deal   de300008 conversation
--   de300009 template   de300010 message (the number of the conversation, and two digits for the position in it)
-- The rows below refer to each other by the number at the end of the id.
--
-- Times are relative to now(), so the data never becomes old. Immediately after a reset, some conversations are always
-- within their 24-hour window.

-- ---------------------------------------------------------------------------------------------------
-- The company, its people and its teams
-- ---------------------------------------------------------------------------------------------------

-- A trigger adds the pipeline Sales with its five stages.
insert into public.companies (id, name, created_at) values
  ('de300000-0000-4000-8000-000000000001', 'Ondalva Coffee Equipment', now() - interval '120 days');

-- The columns here exist in every version of the auth schema. Supabase Auth finds a person by instance and audience,
-- and cannot read a person with tokens that are null. These people have no passwords, so they sign in with a magic
-- link. `npm start` gives passwords to two of them.
insert into auth.users (
  id, instance_id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
  confirmation_token, recovery_token, email_change_token_new, email_change
)
select
  v.id::uuid, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', v.email, now(),
  '{"provider": "email", "providers": ["email"]}', '{}', now(), now(), '', '', '', ''
from (values
  ('de300001-0000-4000-8000-000000000001', 'helena.duarte@ondalva.example'),
  ('de300001-0000-4000-8000-000000000002', 'tomas.vidal@ondalva.example'),
  ('de300001-0000-4000-8000-000000000003', 'amina.okoro@ondalva.example')
) as v (id, email);

insert into public.company_members (company_id, user_id, role, name, created_at)
select 'de300000-0000-4000-8000-000000000001', person.id, v.role, v.name, now() - v.age
from (values
  ('helena.duarte@ondalva.example', 'owner', 'Helena Duarte', interval '120 days'),
  ('tomas.vidal@ondalva.example', 'admin', 'Tomás Vidal', '118 days'),
  ('amina.okoro@ondalva.example', 'agent', 'Amina Okoro', '97 days')
) as v (email, role, name, age)
join auth.users as person on person.email = v.email;

insert into public.teams (id, company_id, name, created_at) values
  ('de300002-0000-4000-8000-000000000001', 'de300000-0000-4000-8000-000000000001', 'Sales', now() - interval '118 days'),
  ('de300002-0000-4000-8000-000000000002', 'de300000-0000-4000-8000-000000000001', 'Service', now() - interval '96 days');

-- Both accounts are disconnected. A connected account needs a token that is encrypted with a secret of the
-- installation, and this file contains neither. With an invented token, a send would fail later. Without a token, the
-- error clearly says that the account is not connected. `npm start` connects the first account to the sandbox.
insert into public.messaging_accounts
  (id, company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at, created_at)
select
  ('de300003-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  v.phone_number_id, '900000000000001', v.display_phone, null, now(), now() - v.age
from (values
  -- The Americas
  (1, '900000000000011', '+12025550100', interval '117 days'),
  -- Everywhere else
  (2, '900000000000012', '+447700900100', '110 days')
) as v (number, phone_number_id, display_phone, age);

-- A media file that was uploaded, so a message can contain it. The sandbox does not have the file.
insert into public.media_uploads
  (id, company_id, account_id, media_id, type, mime_type, bytes, sha256, filename, created_at, expires_at)
values (
  'de300018-0000-4000-8000-000000000001', 'de300000-0000-4000-8000-000000000001',
  'de300003-0000-4000-8000-000000000001', '1000000000000001', 'document', 'application/pdf', 48213, repeat('5e', 32),
  'price-list.pdf', now() - interval '2 days', now() + interval '27 days'
);

-- ---------------------------------------------------------------------------------------------------
-- Templates
-- ---------------------------------------------------------------------------------------------------

-- These rows are templates of the sandbox. The templates have not been read from the sandbox (synced_at is null), so
-- they do not prevent a send. The first synchronisation updates these rows and adds the other templates of the sandbox.
insert into public.template_catalogues (company_id, business_account_id, created_at) values
  ('de300000-0000-4000-8000-000000000001', '900000000000001', now() - interval '117 days');

insert into public.templates (
  id, company_id, business_account_id, channel_template_id, name, language, status, status_since, category, quality,
  parameter_format, components, header_format, variables, rendering, read_at, created_at
)
select
  ('de300009-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  '900000000000001', v.channel_template_id, v.name, v.language, 'APPROVED', now() - interval '116 days', 'UTILITY',
  'GREEN', 'POSITIONAL', v.components, v.header_format, v.variables, v.rendering, now() - interval '1 day',
  now() - interval '116 days'
from (
  select
    number, channel_template_id, 'order_update' as name, language,
    jsonb_build_array(jsonb_build_object(
      'type', 'BODY',
      'text', pieces[1] || '{{1}}' || pieces[2] || '{{2}}' || pieces[3],
      'example', jsonb_build_object('body_text', jsonb_build_array(jsonb_build_array('Ada', 'A-1815')))
    )) as components,
    null as header_format,
    '{"header": [], "body": [{"name": "1", "example": "Ada"}, {"name": "2", "example": "A-1815"}], "buttons": []}'::jsonb
      as variables,
    jsonb_build_object(
      'header', null, 'body', jsonb_build_array(pieces[1], 0, pieces[2], 1, pieces[3]),
      'footer', null, 'buttons', '[]'::jsonb
    ) as rendering
  from (values
    (1, '700000000000000', 'pt_BR', array['Olá ', ', o seu pedido ', ' está a caminho.']),
    (2, '700000000000001', 'en_US', array['Hello ', ', your order ', ' is on its way.']),
    (3, '700000000000002', 'es', array['Hola ', ', tu pedido ', ' está en camino.'])
  ) as text (number, channel_template_id, language, pieces)
  union all
  select
    4, '700000000000100', 'hello_world', 'en_US',
    '[
      {"type": "HEADER", "format": "TEXT", "text": "Hello World"},
      {"type": "BODY", "text": "Welcome! If you can read this, your number can send templates."},
      {"type": "FOOTER", "text": "A sample message"}
    ]',
    'TEXT',
    '{"header": [], "body": [], "buttons": []}',
    '{
      "header": ["Hello World"],
      "body": ["Welcome! If you can read this, your number can send templates."],
      "footer": "A sample message",
      "buttons": []
    }'
) as v;

-- ---------------------------------------------------------------------------------------------------
-- A second pipeline, for what comes after a sale
-- ---------------------------------------------------------------------------------------------------

insert into public.pipelines (id, company_id, name, position) values
  ('de300004-0000-4000-8000-000000000001', 'de300000-0000-4000-8000-000000000001', 'Service contracts', 1);

-- The two pipelines have no stage name in common, so the deals below refer to their stages only by name.
insert into public.stages (id, company_id, pipeline_id, name, position)
select
  ('de300005-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  'de300004-0000-4000-8000-000000000001', v.name, v.number - 1
from (values (1, 'Renewal due'), (2, 'Contacted'), (3, 'Quote sent'), (4, 'Renewed')) as v (number, name);

-- ---------------------------------------------------------------------------------------------------
-- Contacts, oldest first
-- ---------------------------------------------------------------------------------------------------

-- No real person should have one of these phone numbers. The US, Canada, the UK, Ireland, France, Germany and Sweden
-- reserve ranges for fiction. The other numbers are artificial and contain many zeros. The numbers of contacts 6, 8 and
-- 9 have a second form, which app.phone_key() treats as the same number.
insert into public.contacts (
  id, company_id, created_at, phone, name, email,
  temperature, source, job_title, empresa, tags, do_not_contact, is_active, custom_fields
)
select
  ('de300006-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  now() - v.age, v.phone, v.name, v.email,
  v.temperature, v.source, v.job_title, v.empresa, v.tags, v.do_not_contact, v.is_active, v.custom_fields
from (values
  (1, interval '89 days 4 hours', '+5511900000001', 'Ana Luísa Conceição', 'ana.luisa@cafeipe.example',
    'hot', 'instagram', 'Proprietária', 'Café Ipê', '{customer,brisa}'::text[], false, true,
    '{"daily_cups": 260, "machine": {"model": "Brisa 2G", "serial": "BR2-00391"}}'::jsonb),
  (2, '87 days 22 hours', '+351900000001', 'Inês Magalhães', 'ines@padariadalua.example',
    'hot', 'referral', 'Gerente', 'Padaria da Lua', '{customer,service-contract}', false, true,
    '{"machine": {"model": "Brisa 2G", "serial": "BR2-00417", "water": {"hardness_dh": 14, "filter": true}}}'),
  (3, '86 days 2 hours', '+493023125001', 'Jürgen Großmann', 'j.grossmann@roesterei-grossmann.example',
    'warm', 'trade_fair', 'Geschäftsführer', 'Rösterei Großmann', '{customer,roaster}', false, true,
    '{"vat_id_on_file": true, "machine": {"model": "Brisa 2G", "serial": "BR2-00402"}}'),
  (4, '83 days 19 hours', '+12025550101', 'Maya Rodríguez-Klein', 'maya@tuesdayroasters.example',
    'hot', 'website', 'Head of Coffee', 'Tuesday Roasters', '{customer,roaster,marea}', false, true,
    '{"locations": 3, "budget": {"currency": "USD", "from": 15000, "to": 22000}}'),
  (5, '81 days 7 hours', '+34500000001', 'Íñigo Etxeberria', 'inigo@kafehaizea.example',
    'warm', 'referral', 'Encargado', 'Kafe Haizea', '{customer,service-contract}', false, true,
    '{"visits_per_year": 2}'),
  (6, '78 days 16 hours', '+5215500000001', 'José Ángel Muñoz Peña', 'joseangel@cafejacaranda.example',
    'warm', 'whatsapp', 'Dueño', 'Café Jacaranda', '{spare-parts}', false, true,
    '{"machine": {"model": "Marea 1G", "bought_used": true}}'),
  (7, '76 days 1 hour', '+447700900101', 'Siân Llewellyn', 'sian@harbourlight.example',
    'hot', 'trade_fair', 'Owner', 'Harbour Light Coffee', '{customer,grinder}', false, true,
    '{"opening_hours": {"weekdays": "07:00-17:00", "weekend": "08:00-16:00"}}'),
  (8, '73 days 11 hours', '+5491100000001', 'Rocío Giménez', 'rocio@esquinaazul.example',
    'warm', 'instagram', 'Socia', 'Bar La Esquina Azul', '{grinder}', false, true, '{}'),
  (9, '71 days 20 hours', '+552190000001', 'João Antônio Gonçalves', 'joao@guanabaradoce.example',
    'cold', 'import', 'Sócio', 'Confeitaria Guanabara Doce', '{}', false, true,
    '{"imported_from": "address book of 2011"}'),
  (10, '69 days 13 hours', '+819000000001', '佐藤 美咲', 'sato@kissa-minamo.example',
    'hot', 'website', '店長', '喫茶みなも', '{brisa,two-machines}', false, true,
    '{"reading": {"family": "さとう", "given": "みさき"}, "ward": "渋谷区"}'),
  (11, '66 days 5 hours', '+33639980001', 'Chloé Lefèvre', 'chloe@brulerie-lefevre.example',
    'warm', 'trade_fair', 'Gérante', 'Brûlerie Lefèvre', '{roaster}', false, true, '{}'),
  (12, '64 days 9 hours', '+910000000001', 'अनन्या शर्मा', 'ananya@pahadibeans.example',
    'hot', 'referral', 'Founder', 'Pahadi Beans', '{brisa,distributor}', false, true,
    '{"territory": ["Delhi", "Uttarakhand", "Himachal Pradesh"]}'),
  (13, '61 days 23 hours', '+2349990000001', 'Olúwáṣeun Adéyẹmí', 'seun@owurocoffee.example',
    'hot', 'website', 'Co-founder', 'Òwúrọ̀ Coffee', '{new-cafe,two-machines}', false, true,
    '{"opening": {"city": "Lagos", "in_weeks": 8}}'),
  (14, '59 days 3 hours', '+12125550102', 'Grace O’Connell', 'grace.oconnell@northpierhotels.example',
    'warm', 'website', 'Procurement Manager', 'North Pier Hotels', '{hotel,marea}', false, true,
    '{"locations": 7, "purchase_order_required": true}'),
  (15, '57 days 15 hours', '+5531900000002', 'Thaís Araújo Brandão', 'thais@padariabrandao.example',
    'cold', 'import', 'Compradora', 'Padaria Brandão', '{opted-out}', true, true, '{}'),
  (16, '55 days 8 hours', '+525500000002', 'Ximena Ibáñez', 'ximena@molinorojo.example',
    'warm', 'instagram', 'Barista', 'Molino Rojo', '{grinder}', false, true, '{}'),
  (17, '52 days 21 hours', '+493023125002', 'Käthe Schäfer-Yıldız', 'kaethe@cafe-morgenrot.example',
    'hot', 'referral', 'Inhaberin', 'Café Morgenrot', '{customer,service-contract}', false, true,
    '{"daily_cups": 180, "machine": {"model": "Brisa 1G", "serial": "BR1-00118"}}'),
  (18, '50 days 6 hours', '+351900000002', 'Gonçalo Simões', 'goncalo@hotelriaclara.example',
    'warm', 'website', 'Diretor de F&B', 'Hotel Ria Clara', '{hotel}', false, true,
    '{"rooms": 84}'),
  (19, '48 days 12 hours', '+46701740605', 'Åsa Björkström', 'asa@rosteriet-bjork.example',
    'warm', 'trade_fair', 'Rostare', 'Rosteriet Björk', '{roaster}', false, true, '{}'),
  (20, '45 days 18 hours', '+447700900102', 'Zoë Achebe-Hughes', 'zoe@fourthwall.example',
    'hot', 'referral', 'Operations Lead', 'Fourth Wall Espresso', '{customer,brisa}', false, true,
    '{"locations": 2}'),
  (21, '43 days 2 hours', '+5541900000003', null, null,
    'cold', 'whatsapp', null, null, '{}', false, true, '{}'),
  (22, '41 days 10 hours', '+34500000002', 'Núria Puigdomènech', 'nuria@granetdecafe.example',
    'hot', 'website', 'Directora', 'Granet de Cafè', '{brisa}', false, true, '{"preferred_language": "ca"}'),
  (23, '38 days 17 hours', '+543510000002', 'Matías Ñáñez', 'matias@cafesierras.example',
    'warm', 'whatsapp', 'Encargado', 'Café de las Sierras', '{}', false, true, '{}'),
  (24, '36 days 1 hour', '+200000000001', 'ليلى حسن', 'layla@qahwatnil.example',
    'warm', 'instagram', 'Owner', 'Qahwat Nil', '{new-cafe}', false, true, '{"opening": {"city": "القاهرة"}}'),
  (25, '34 days 14 hours', '+821000000001', '김서연', 'seoyeon@badacoffee.example',
    'warm', 'trade_fair', '대표', '바다커피', '{marea}', false, true, '{}'),
  (26, '32 days 5 hours', '+910000000002', 'Rohan Deshpande', 'rohan@sahyadricafes.example',
    'cold', 'website', 'Procurement Lead', 'Sahyadri Cafés', '{chain}', false, true, '{"locations": 11}'),
  (27, '29 days 22 hours', '+5551900000004', 'Vinícius Müller', 'vinicius@cafedaserra.example',
    'cold', 'import', null, 'Café da Serra', '{closed-business}', false, false, '{}'),
  (28, '27 days 9 hours', '+13125550103', 'DeShawn Carter', 'deshawn@lakeviewgrind.example',
    'hot', 'referral', 'Owner', 'Lakeview Grind', '{brisa,grinder}', false, true, '{"daily_cups": 340}'),
  (29, '25 days 16 hours', '+351900000003', 'Conceição Falcão', null,
    'warm', 'whatsapp', null, 'Pastelaria Falcão', '{}', false, true, '{}'),
  (30, '23 days 3 hours', '+353209100001', 'Caoimhín Ó Súilleabháin', 'caoimhin@drisheencafe.example',
    'warm', 'website', 'Owner', 'Drisheen Café', '{brisa}', false, true, '{}'),
  (31, '20 days 20 hours', '+523300000003', 'Guadalupe Zúñiga', 'lupita@barralibre.example',
    'cold', 'import', null, 'Barra Libre', '{opted-out}', true, true, '{}'),
  (32, '18 days 11 hours', '+447700900103', null, null,
    'cold', 'whatsapp', null, null, '{}', false, true, '{}'),
  (33, '16 days 6 hours', '+2349990000002', 'Chiamaka Ọkọnkwọ', 'chiamaka@udocafe.example',
    'warm', 'instagram', 'Manager', 'Udo Café', '{grinder}', false, true, '{}'),
  (34, '14 days 1 hour', '+819000000002', '田中 健太', 'tanaka@asahi-zaka.example',
    'warm', 'referral', 'バリスタ', '朝日坂コーヒー', '{grinder}', false, true, '{}'),
  (35, '12 days 13 hours', '+34500000003', 'Begoña Peñalver', 'begona@teteriasur.example',
    'cold', 'website', 'Gerente', 'Tetería del Sur', '{duplicate-company}', false, false, '{}'),
  (36, '9 days 19 hours', '+14165550104', 'Étienne Tremblay-Nguyễn', 'etienne@maisonquai.example',
    'hot', 'website', 'Co-owner', 'Maison Quai', '{brisa,new-cafe}', false, true,
    '{"opening": {"city": "Toronto", "in_weeks": 14}}'),
  (37, '7 days 8 hours', '+5571900000005', 'Iara Sant’Anna', 'iara@cafedope.example',
    'hot', 'instagram', 'Chef', 'Café do Pé', '{marea}', false, true, '{}'),
  (38, '4 days 15 hours', '+493023125003', 'Łukasz Weiß', 'lukasz@kaffeewerk-weiss.example',
    'warm', 'referral', 'Röstmeister', 'Kaffeewerk Weiß', '{roaster}', false, true, '{}'),
  (39, '1 day 21 hours', '+541100000003', 'Belén Acuña', null,
    'warm', 'whatsapp', null, null, '{}', false, true, '{}'),
  (40, '50 minutes', '+5585900000006', 'Raimundo Assunção', 'raimundo@jangadacafe.example',
    'warm', 'api', 'Comprador', 'Jangada Café', '{}', false, true, '{}')
) as v (
  number, age, phone, name, email,
  temperature, source, job_title, empresa, tags, do_not_contact, is_active, custom_fields
);

-- ---------------------------------------------------------------------------------------------------
-- Deals
-- ---------------------------------------------------------------------------------------------------

-- The time of a deal is relative to the time of its contact, so no deal is older than its contact. A deal that was won
-- or lost ended nine days later, or an hour ago if that is earlier.
insert into public.deals
  (id, company_id, contact_id, stage_id, title, value, status, created_at, won_at, lost_at)
select
  ('de300007-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  contact.id, stage.id, v.title, v.value, v.status, contact.created_at + v.later,
  case v.status when 'won' then ended_at end, case v.status when 'lost' then ended_at end
from (values
  -- Sales
  (1, 1, interval '26 days', 'Closing', 'Brisa 2G to replace the old machine', 8490.00, 'won'),
  (2, 3, '3 days', 'Closing', 'Brisa 2G with grinder', 10175.50, 'won'),
  (3, 4, '2 hours', 'Closing', 'Marea 3G for the new roastery', 18240.00, 'won'),
  (4, 7, '30 days 4 hours', 'Closing', 'Grinder for decaf', 1180.00, 'won'),
  (5, 4, '80 days 2 hours', 'Negotiation', 'Marea 3G for the third location', 17650.75, 'open'),
  (6, 8, '49 days 3 hours', 'Proposal', 'Grão 64 grinder', 1180.00, 'open'),
  (7, 9, '12 days', 'New lead', 'Confectionery, machine not chosen yet', null, 'lost'),
  (8, 10, '61 days', 'Proposal', 'Brisa 2G, two machines', 16980.00, 'open'),
  (9, 12, '5 days 6 hours', 'Negotiation', 'First order as a distributor', 42300.40, 'open'),
  (10, 13, '61 days 22 hours 20 minutes', 'New lead', 'Two machines for the Lagos opening', null, 'open'),
  (11, 14, '9 days', 'Qualified', 'Marea 3G for seven hotels', 121800.00, 'open'),
  (12, 16, '1 day', 'Qualified', 'Grão 64 grinder, used', 640.90, 'lost'),
  (13, 22, '3 days 5 hours', 'Closing', 'Brisa 2G with installation', 8990.00, 'open'),
  (14, 25, '8 days', 'Negotiation', 'Marea 3G', 17900.00, 'lost'),
  (15, 28, '20 days', 'Proposal', 'Brisa 2G and two grinders', 10849.99, 'open'),
  (16, 36, '4 days 7 hours', 'Qualified', 'Brisa 2G for the opening', 8490.00, 'open'),
  (17, 37, '5 days', 'New lead', 'Marea 1G for the tasting room', null, 'open'),
  -- Service contracts
  (18, 5, '60 days 2 hours', 'Renewed', 'Maintenance, two visits a year', 480.00, 'won'),
  (19, 17, '15 days', 'Renewed', 'Maintenance, three visits a year', 690.00, 'won'),
  (20, 20, '10 days 3 hours', 'Quote sent', 'Maintenance for both locations', 1240.25, 'open'),
  (21, 2, '84 days', 'Contacted', 'Renewal with parts included', 915.00, 'open'),
  (22, 3, '70 days', 'Renewal due', 'First renewal', null, 'open'),
  (23, 7, '64 days', 'Quote sent', 'Maintenance with spare grinder', 735.60, 'open'),
  (24, 18, '22 days', 'Contacted', 'Hotel contract, response within 4 hours', 3960.00, 'lost'),
  (25, 1, '88 days 20 hours', 'Renewal due', 'Maintenance after the first quarter', 520.00, 'open')
) as v (number, contact_number, later, stage_name, title, value, status)
join public.contacts as contact
  on contact.id = ('de300006-0000-4000-8000-' || lpad(v.contact_number::text, 12, '0'))::uuid
join public.stages as stage
  on stage.company_id = contact.company_id and stage.name = v.stage_name
cross join lateral (
  select least(contact.created_at + v.later + interval '9 days', now() - interval '1 hour') as ended_at
) as ending;

-- ---------------------------------------------------------------------------------------------------
-- Conversations and their messages
-- ---------------------------------------------------------------------------------------------------

-- A trigger on messages sets last_message_at and window_expires_at. Contact 4 writes again after its conversation was
-- closed, so this contact has a second conversation.
insert into public.conversations
  (id, company_id, contact_id, messaging_account_id, status, assigned_to, team_id, created_at)
select
  ('de300008-0000-4000-8000-' || lpad(v.number::text, 12, '0'))::uuid, 'de300000-0000-4000-8000-000000000001',
  ('de300006-0000-4000-8000-' || lpad(v.contact_number::text, 12, '0'))::uuid,
  ('de300003-0000-4000-8000-' || lpad(v.account_number::text, 12, '0'))::uuid,
  v.status, person.id, team.id, now() - v.age
from (values
  (1, 1, 1, 'closed', 'amina.okoro@ondalva.example', 'Sales', interval '63 days 5 hours'),
  (2, 4, 1, 'closed', 'tomas.vidal@ondalva.example', 'Sales', '80 days 2 hours'),
  (3, 4, 1, 'open', 'tomas.vidal@ondalva.example', 'Sales', '3 days 22 hours'),
  (4, 6, 1, 'open', 'amina.okoro@ondalva.example', 'Service', '3 hours 10 minutes'),
  (5, 8, 1, 'pending', 'amina.okoro@ondalva.example', 'Sales', '24 days 9 hours'),
  (6, 2, 2, 'open', 'tomas.vidal@ondalva.example', 'Service', '9 hours 40 minutes'),
  (7, 5, 2, 'closed', 'helena.duarte@ondalva.example', 'Service', '21 days 6 hours'),
  (8, 3, 2, 'open', null, 'Service', '2 days 1 hour'),
  (9, 7, 2, 'open', 'amina.okoro@ondalva.example', null, '5 hours 25 minutes'),
  (10, 10, 2, 'pending', 'helena.duarte@ondalva.example', 'Sales', '8 days 14 hours'),
  (11, 13, 2, 'open', null, null, '1 hour 15 minutes'),
  (12, 11, 2, 'open', null, 'Sales', '6 days 3 hours')
) as v (number, contact_number, account_number, status, assignee, team_name, age)
left join auth.users as person on person.email = v.assignee
left join public.teams as team
  on team.company_id = 'de300000-0000-4000-8000-000000000001' and team.name = v.team_name;

-- The time of a message is relative to the start of its conversation. The content of an image or a document is its
-- caption. Every outbound message has a WhatsApp id, as every accepted message does.
insert into public.messages (
  id, company_id, conversation_id, direction, type, content, outcome, whatsapp_message_id, created_at, sent_at,
  delivered_at, read_at, author_type, author_id, author_name, media
)
select
  ('de300010-0000-4000-8000-' || lpad((v.conversation_number * 100 + v.place)::text, 12, '0'))::uuid,
  conversation.company_id, conversation.id, v.direction, v.type, v.content,
  case v.direction when 'outbound' then 'accepted' end,
  'wamid.DEMO' || lpad(v.conversation_number::text, 3, '0') || lpad(v.place::text, 3, '0'),
  conversation.created_at + v.later, conversation.created_at + v.later,
  case v.direction when 'outbound' then conversation.created_at + v.later + interval '2 seconds' end,
  case v.direction when 'outbound' then conversation.created_at + v.later + interval '40 seconds' end,
  -- If no one is assigned to a conversation, the AI agent wrote its outbound messages.
  case when v.direction = 'outbound' then case when assigned_to is null then 'agent' else 'member' end end,
  case v.direction when 'outbound' then assigned_to end,
  case v.direction when 'outbound' then (
    select name from public.company_members
    where company_members.company_id = conversation.company_id and user_id = assigned_to
  ) end,
  -- The sandbox has this picture. WhatsApp keeps a picture that a person sent for seven days.
  case when v.direction = 'inbound' and v.type = 'image' then jsonb_build_object(
    'id', '1900000000000001', 'mime_type', 'image/jpeg',
    'sha256', '4ff3e3a4481201789bb3b48e69fb2200ec73960115633739958fa5808426cda1',
    'filename', null, 'voice', null, 'animated', null,
    'expires_at', to_char(
      (conversation.created_at + v.later + interval '7 days') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
    )
  ) end
from (select *, row_number() over (partition by conversation_number order by later) as place from (values
  -- Ana Luísa, Brazil: from a question to an installed machine
  (1, interval '0 minutes', 'inbound', 'text', 'Oi! Vi a Brisa de dois grupos no Instagram. Vocês têm pronta entrega?'),
  (1, '6 minutes', 'outbound', 'text', 'Oi, Ana Luísa! Temos três em estoque. É para uma loja nova ou para trocar a máquina?'),
  (1, '11 minutes', 'inbound', 'text', 'Para trocar. A nossa já tem doze anos e para toda semana.'),
  (1, '14 minutes', 'inbound', 'image', 'Ela hoje cedo, com o grupo da esquerda vazando'),
  (1, '1 hour 20 minutes', 'outbound', 'document', 'Proposta: Brisa 2G com instalação e treinamento'),
  (1, '1 day 2 hours', 'inbound', 'text', 'Fechado! Pode mandar o contrato.'),
  (1, '1 day 2 hours 25 minutes', 'outbound', 'text', 'Que ótima notícia! O contrato vai para o seu e-mail ainda hoje.'),
  (1, '9 days 4 hours', 'inbound', 'text', 'Instalada e funcionando. Obrigada, gente!'),

  -- Maya, United States: the delivery of her first machine
  (2, '0 minutes', 'outbound', 'text', 'Hi Maya, your Marea 3G ships on Thursday. Is there a loading dock at the roastery?'),
  (2, '35 minutes', 'inbound', 'text', 'No dock, but the roll-up door is 8 feet wide. Please ask the driver to call ahead.'),
  (2, '50 minutes', 'outbound', 'text', 'Will do. He calls 30 minutes before he arrives.'),
  (2, '5 days 3 hours', 'inbound', 'text', 'It’s here, not a scratch on it. Thank you!'),

  -- Maya again, weeks later
  (3, '0 minutes', 'inbound', 'text', 'Hey, we signed the lease for a third location. What would another Marea cost us now?'),
  (3, '40 minutes', 'outbound', 'text', 'Congratulations! As a returning customer you would be at $17,650.75, delivered.'),
  (3, '1 day 3 hours', 'inbound', 'text', 'That works if you can throw in the training for two new baristas.'),
  (3, '1 day 4 hours', 'outbound', 'text', 'Let me check with the trainer and get back to you this week.'),

  -- José Ángel, Mexico: a spare part
  (4, '0 minutes', 'inbound', 'text', 'Buenas tardes, ¿manejan refacciones para la Marea 1G?'),
  (4, '8 minutes', 'outbound', 'text', '¡Hola, José Ángel! Sí, casi todas. ¿Qué pieza necesita?'),
  (4, '12 minutes', 'inbound', 'image', 'Este empaque, el del grupo'),
  (4, '31 minutes', 'outbound', 'text', 'Es el de 8.5 mm, lo tenemos. Sale mañana si nos confirma la dirección.'),
  (4, '2 hours 5 minutes', 'inbound', 'text', 'La misma de siempre, por favor. ¿Se puede pagar con transferencia?'),

  -- Rocío, Argentina: she has not decided yet
  (5, '0 minutes', 'inbound', 'text', 'Hola, ¿me pasás el precio del molino Grão 64?'),
  (5, '17 minutes', 'outbound', 'text', '¡Hola, Rocío! Hoy está en 1.180 dólares más el envío. ¿Es para el local?'),
  (5, '22 minutes', 'inbound', 'text', 'Sí, para el local. Lo hablo con mi socio y te aviso.'),
  (5, '26 minutes', 'outbound', 'text', 'Dale, quedo atenta. El precio se mantiene todo el mes.'),

  -- Inês, Portugal: a leak
  (6, '0 minutes', 'inbound', 'text', 'Bom dia. A máquina está a perder água por baixo.'),
  (6, '2 minutes', 'inbound', 'image', 'O tabuleiro esta manhã'),
  (6, '15 minutes', 'outbound', 'text', 'Bom dia, Inês. Feche, por favor, a torneira de entrada. Qual é o número de série?'),
  (6, '21 minutes', 'inbound', 'text', 'BR2-00417'),
  (6, '48 minutes', 'outbound', 'text', 'Obrigado. O técnico passa aí amanhã, entre as 9h e as 11h.'),
  (6, '55 minutes', 'inbound', 'text', 'Perfeito, até amanhã.'),

  -- Íñigo, Spain: a contract is renewed
  (7, '0 minutes', 'outbound', 'text', 'Hola, Íñigo: tu contrato de mantenimiento vence el mes que viene. ¿Lo renovamos?'),
  (7, '2 hours 12 minutes', 'inbound', 'text', 'Sí, pero con dos visitas al año en lugar de tres.'),
  (7, '3 hours', 'outbound', 'document', 'Contrato de mantenimiento, dos visitas al año'),
  (7, '22 hours', 'inbound', 'text', 'Firmado. ¡Gracias!'),

  -- Jürgen, Germany: an invoice, and a question that waits for an answer
  (8, '0 minutes', 'inbound', 'text', 'Guten Tag, könnten Sie mir die Rechnung für die Brisa noch einmal schicken?'),
  (8, '1 hour 5 minutes', 'outbound', 'text', 'Guten Tag, Herr Großmann, selbstverständlich. Ist die Anschrift noch dieselbe?'),
  (8, '1 hour 30 minutes', 'inbound', 'text', 'Ja, daran hat sich nichts geändert.'),
  (8, '2 hours', 'outbound', 'document', 'Rechnung: Brisa 2G mit Mühle'),
  (8, '1 day 20 hours', 'inbound', 'text', 'Danke, ist angekommen. Gilt die Garantie eigentlich auch für die Mühle?'),

  -- Siân, United Kingdom: a grinder that runs hot
  (9, '0 minutes', 'inbound', 'text', 'Morning! The grinder gets very hot after about an hour. Is that normal?'),
  (9, '10 minutes', 'outbound', 'text', 'Hi Siân, it should only be warm. Could you show us the dial and the burrs?'),
  (9, '34 minutes', 'inbound', 'image', 'The dial, and what’s left of the burrs'),
  (9, '52 minutes', 'outbound', 'text', 'Thanks, those are worn out. A new set is under warranty and leaves today.'),
  (9, '1 hour 3 minutes', 'inbound', 'text', 'Brilliant, you’re stars. Can I fit them myself?'),
  (9, '1 hour 20 minutes', 'outbound', 'document', 'How to change the burrs of a Grão 64, in six steps'),

  -- Satō-san, Japan: a quotation under consideration
  (10, '0 minutes', 'inbound', 'text', 'お見積りをお願いできますか。Brisa 2Gを二台です。'),
  (10, '3 hours', 'outbound', 'text', 'お問い合わせありがとうございます。納品先は東京都内でよろしいでしょうか。'),
  (10, '3 hours 20 minutes', 'inbound', 'text', 'はい、渋谷区です。'),
  (10, '1 day 1 hour', 'outbound', 'document', 'お見積書（Brisa 2G 二台、設置費込み）'),
  (10, '1 day 6 hours', 'inbound', 'text', '確認しました。社内で検討いたします。'),

  -- Olúwáṣeun, Nigeria: new, and not assigned yet
  (11, '0 minutes', 'inbound', 'text', 'Good morning. Do you ship to Lagos?'),
  (11, '3 minutes', 'inbound', 'text', 'We open in eight weeks and need two machines, with installation if possible.'),

  -- Chloé, France: she has not answered, so no window was ever opened
  (12, '0 minutes', 'outbound', 'text', 'Bonjour Chloé, le nouveau catalogue est prêt. Le voici, comme promis au salon.'),
  (12, '2 days 1 hour', 'outbound', 'text', 'Bonjour Chloé, avez-vous pu le regarder ? Nous sommes là pour vos questions.')
) as said (conversation_number, later, direction, type, content)) as v
join public.conversations as conversation
  on conversation.id = ('de300008-0000-4000-8000-' || lpad(v.conversation_number::text, 12, '0'))::uuid
-- The messages are added in the order of their times, so that the trigger sees them in that order.
order by conversation.created_at + v.later;

-- Chloé's two messages were template sends.
insert into public.sends (
  company_id, idempotency_key, message_id, created_conversation, template_name, language_code, state, claim_id,
  lease_ends_at, whatsapp_message_id, created_at, updated_at
)
select
  company_id, sent.idempotency_key, id, place = 1, sent.template_name, 'fr', 'sent',
  ('de300011-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid, created_at + interval '90 seconds',
  whatsapp_message_id, created_at, created_at
from (values (1, 'catalogue-chloe', 'new_catalogue'), (2, 'catalogue-chloe-again', 'catalogue_reminder'))
  as sent (place, idempotency_key, template_name)
join public.messages
  on messages.id = ('de300010-0000-4000-8000-' || lpad((1200 + place)::text, 12, '0'))::uuid;

-- The planner needs statistics on the columns that searches use. Without this statement, Postgres would gather the
-- statistics later.
analyze public.contacts, public.deals, public.deal_history, public.conversations;

-- An event with a fixed id, for the examples of the API reference.
insert into app.events (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, happened_at)
select
  app.slot_of(now()), 'de300012-0000-7000-8000-000000000001', nextval('app.event_seq'), app.change_now(), company_id,
  'deal.stage_changed', id, '{stage_id, stage_changed_at}',
  jsonb_build_object('stage_id', jsonb_build_object(
    'from', 'de300005-0000-4000-8000-000000000001', 'to', 'de300005-0000-4000-8000-000000000002'
  )),
  '{ "kind": "person", "id": "de300001-0000-4000-8000-000000000001" }', now()
from public.deals where id = 'de300007-0000-4000-8000-000000000003';
