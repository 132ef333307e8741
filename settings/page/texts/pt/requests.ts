import type { RequestsTexts } from "../en/requests.ts";

export const requests: RequestsTexts = {
  title: "Requisições e erros",
  lead:
    "O que a API recusou ou não conseguiu fazer. Erros iguais formam uma só entrada; o que aconteceu por último vem primeiro.",
  request: (id) => `Requisição ${id}`,

  key: "Chave de API",
  everyKey: "Todas as chaves",
  kind: "Quem precisa agir",
  kinds: {
    all: "Qualquer um",
    refused: "Seu programa (4xx)",
    failed: "O serviço ou o WhatsApp (5xx)",
  },
  lookUp: "Id da requisição",
  lookUpHint: "Encontrar uma requisição",
  lookUpButton: "Buscar",

  none: "Nenhum erro nos últimos 30 dias",
  noneWhy:
    "Todas as requisições dos seus programas deram certo, ou não houve nenhuma. Quando a API recusa uma requisição, ela " +
    "aparece aqui em até um minuto: o que estava errado, em qual campo e o que mudar.",
  noneOfFilter: "Nenhum erro assim",
  noneOfFilterWhy: "Nenhum erro dos últimos 30 dias corresponde a esses filtros.",
  toKeys: "Ir para as chaves de API",
  exampleTitle: "Por exemplo",

  times: (count, shown) => count === 1 ? "uma vez" : `${shown} vezes`,
  since: (first) => `desde ${first}`,
  last: "a última",
  noOperation: "caminho inexistente",
  withKey: "Chave:",
  deletedKey: "uma chave excluída",
  toChange: "O que mudar",
  about: (code) => `Sobre ${code}`,
  reference: (operation) => `${operation} na referência`,
  latest: (count) => count === 1 ? "O id da requisição" : `Os ids das últimas ${count} requisições`,
  requestId: "Id da requisição",
  copyRequestId: (id) => `Copiar o id da requisição ${id}`,
  kept:
    "De cada chave são guardados os 50 tipos de erro mais recentes, por 30 dias. Nenhum valor enviado por um programa é " +
    "guardado. Um erro aparece até um minuto depois da resposta.",

  errorsOfKey: "Erros",
  noErrorsOfKey: "Nenhum erro nos últimos 30 dias.",
  allOfKey: "Todos os erros desta chave",

  found: (moment) => `A API respondeu a esta requisição com um erro: ${moment}`,
  notFound: "Nenhum erro tem este id",
  notFoundWhy:
    "Só os erros são guardados, com os ids das últimas 10 requisições de cada tipo, por 30 dias. A requisição pode ter " +
    "dado certo, ser mais antiga ou ter menos de um minuto. Confira se o id está completo.",
  notFoundExample:
    "O id está no cabeçalho X-Request-Id de cada resposta e em request_id de um erro:",
  toList: "Todos os erros",

  links: {
    accounts: "Ir para o WhatsApp",
    templates: "Ir para os modelos",
    key: "Ir para a chave",
    newKey: "Criar uma chave",
  },
  advice: {
    malformed_request:
      "A requisição não chegou inteira. Envie de novo. Se acontecer com frequência, verifique a rede ou o proxy no caminho.",
    header_not_accepted:
      "O programa usa um cabeçalho que não tem efeito aqui. A mensagem diz o que usar no lugar.",
    missing_api_key: "A requisição veio sem chave. Envie a chave no cabeçalho Authorization.",
    invalid_api_key:
      "A chave foi desativada ou expirou. Dê outra chave ao programa, ou ative esta de novo.",
    insufficient_scope:
      "A chave não tem essa permissão. Crie uma chave que tenha e entregue-a ao programa.",
    not_found:
      "O registro não existe, foi excluído ou não é da sua empresa. Confira qual id o programa usa.",
    route_not_found:
      "A API não tem esse caminho. Compare o endereço usado no programa com a documentação.",
    method_not_allowed:
      "O caminho existe, mas não com este método. Use um dos métodos que a mensagem cita.",
    request_timeout:
      "A requisição chegou devagar demais. Envie de novo, com menos registros por vez.",
    payload_too_large: "A requisição é grande demais. Envie menos registros por vez.",
    conflict:
      "Outro registro já tem esse valor, ou o estado do registro não permite a mudança. A resposta cita o outro registro " +
      "em existing_id.",
    idempotency_in_progress:
      "O programa repetiu uma requisição antes de a primeira terminar. Espere os segundos de Retry-After.",
    idempotency_key_reused:
      "O programa usou a mesma chave de idempotência em duas requisições diferentes. Dê a cada uma a sua.",
    window_closed:
      "Passaram mais de 24 horas desde a última mensagem da pessoa. Envie um modelo em vez de uma resposta livre.",
    cursor_expired:
      "O banco de dados do serviço foi restaurado ou movido, e podem faltar mudanças na sua cópia. Comece uma cópia nova.",
    precondition_failed:
      "Alguém mudou o registro nesse meio-tempo. Leia de novo e repita a mudança, se ainda fizer sentido.",
    invalid_request: "Corrija isso no programa. A mensagem diz o que a API espera.",
    query_too_expensive:
      "A busca demora demais. Acrescente um filtro ou busque uma palavra mais longa.",
    account_not_connected:
      "Nenhum número do WhatsApp está conectado para esta mensagem. Conecte um.",
    phone_number_id_required:
      "Sua empresa tem vários números do WhatsApp. O programa precisa indicar um em phone_number_id.",
    media_expired:
      "O WhatsApp guarda arquivos por sete dias. Leia o arquivo logo depois que a mensagem chegar.",
    media_rejected:
      "O WhatsApp não aceita este arquivo. Confira o tipo e o tamanho, ou envie-o de novo.",
    template_rejected:
      "O modelo não pode ser enviado assim. A página dele mostra o status e os valores necessários.",
    recipient_unreachable:
      "O WhatsApp não entrega mensagens a esta pessoa. Confira o número, ou fale com ela por outro meio.",
    recipient_opted_out: "A pessoa não quer essas mensagens. Não envie de novo.",
    too_many_requests:
      "O programa envia requisições demais ao mesmo tempo. Envie menos e espere os segundos de Retry-After.",
    channel_account_error: "O WhatsApp recusa a conta. A página da conta diz por quê.",
    channel_unavailable:
      "O WhatsApp não respondeu. Repita a requisição com a mesma chave de idempotência: nada é enviado duas vezes.",
    database_unavailable:
      "O serviço ficou ocupado ou fora do ar por um momento. Repita a requisição. Se continuar, avise quem administra este serviço.",
    internal:
      "É uma falha do serviço, não do seu programa. Passe o id da requisição a quem administra este serviço.",
  },
  correctField: (field) => `Corrija ${field} no programa. A mensagem diz o que a API espera.`,
  otherAdvice: "A página sobre este erro diz o que mudar.",
};
