import type { RequestsTexts } from "../en/requests.ts";

export const requests: RequestsTexts = {
  title: "Solicitudes y errores",
  lead:
    "Lo que la API rechazó o no pudo hacer. Los errores iguales forman una sola entrada; primero aparece el que ocurrió más tarde.",
  request: (id) => `Solicitud ${id}`,

  key: "Clave de API",
  everyKey: "Todas las claves",
  kind: "Quién debe actuar",
  kinds: {
    all: "Cualquiera",
    refused: "Tu programa (4xx)",
    failed: "El servicio o WhatsApp (5xx)",
  },
  lookUp: "Id de la solicitud",
  lookUpHint: "Encontrar una solicitud",
  lookUpButton: "Buscar",

  none: "Ningún error en los últimos 30 días",
  noneWhy:
    "Todas las solicitudes de tus programas tuvieron éxito, o no hubo ninguna. Cuando la API rechaza una solicitud, " +
    "aparece aquí en menos de un minuto: qué estaba mal, en qué campo y qué hay que cambiar.",
  noneOfFilter: "Ningún error así",
  noneOfFilterWhy: "Ningún error de los últimos 30 días cumple estos filtros.",
  toKeys: "Ir a las claves de API",
  exampleTitle: "Por ejemplo",

  times: (count, shown) => count === 1 ? "una vez" : `${shown} veces`,
  since: (first) => `desde el ${first}`,
  last: "la última",
  noOperation: "ruta inexistente",
  withKey: "Clave:",
  deletedKey: "una clave eliminada",
  toChange: "Qué cambiar",
  about: (code) => `Sobre ${code}`,
  reference: (operation) => `${operation} en la referencia`,
  latest: (count) =>
    count === 1 ? "El id de la solicitud" : `Los ids de las últimas ${count} solicitudes`,
  requestId: "Id de la solicitud",
  copyRequestId: (id) => `Copiar el id de la solicitud ${id}`,
  kept:
    "De cada clave se guardan los 50 tipos de error más recientes, durante 30 días. No se guarda ningún valor enviado por " +
    "un programa. Un error aparece hasta un minuto después de la respuesta.",

  errorsOfKey: "Errores",
  noErrorsOfKey: "Ningún error en los últimos 30 días.",
  allOfKey: "Todos los errores de esta clave",

  found: (moment) => `La API respondió con un error a esta solicitud: ${moment}`,
  notFound: "Ningún error tiene este id",
  notFoundWhy:
    "Solo se guardan los errores, con los ids de las últimas 10 solicitudes de cada tipo, durante 30 días. Puede que la " +
    "solicitud haya tenido éxito, sea más antigua o tenga menos de un minuto. Comprueba que el id esté completo.",
  notFoundExample:
    "El id está en el encabezado X-Request-Id de cada respuesta y en request_id de un error:",
  toList: "Todos los errores",

  links: {
    accounts: "Ir a WhatsApp",
    templates: "Ir a las plantillas",
    key: "Ir a la clave",
    newKey: "Crear una clave",
  },
  advice: {
    malformed_request:
      "La solicitud no llegó completa. Envíala de nuevo. Si pasa a menudo, revisa la red o el proxy intermedio.",
    header_not_accepted:
      "El programa usa un encabezado que aquí no tiene efecto. El mensaje dice qué usar en su lugar.",
    missing_api_key:
      "La solicitud no llevaba clave. Envía la clave en el encabezado Authorization.",
    invalid_api_key:
      "La clave está desactivada o venció. Dale al programa otra clave, o activa esta de nuevo.",
    insufficient_scope:
      "A la clave le falta este permiso. Crea una clave que lo tenga y dásela al programa.",
    not_found:
      "El registro no existe, fue eliminado o no es de tu empresa. Revisa qué id usa el programa.",
    route_not_found:
      "La API no tiene esa ruta. Compara la dirección que usa el programa con la documentación.",
    method_not_allowed:
      "La ruta existe, pero no con este método. Usa uno de los métodos que nombra el mensaje.",
    request_timeout:
      "La solicitud llegó muy despacio. Envíala de nuevo, con menos registros cada vez.",
    payload_too_large: "La solicitud es demasiado grande. Envía menos registros cada vez.",
    conflict:
      "Otro registro ya tiene este valor, o el estado del registro no permite el cambio. La respuesta nombra el otro " +
      "registro en existing_id.",
    idempotency_in_progress:
      "El programa repitió una solicitud antes de que terminara la primera. Espera los segundos de Retry-After.",
    idempotency_key_reused:
      "El programa usó la misma clave de idempotencia en dos solicitudes distintas. Dale a cada una la suya.",
    window_closed:
      "Pasaron más de 24 horas desde el último mensaje de la persona. Envía una plantilla en lugar de una respuesta libre.",
    cursor_expired:
      "La base de datos del servicio se restauró o se movió, y a tu copia pueden faltarle cambios. Empieza una copia nueva.",
    precondition_failed:
      "Alguien cambió el registro mientras tanto. Léelo de nuevo y repite el cambio si aún corresponde.",
    invalid_request: "Corrígelo en el programa. El mensaje dice qué espera la API.",
    query_too_expensive:
      "La búsqueda tarda demasiado. Agrega un filtro o busca una palabra más larga.",
    account_not_connected: "No hay un número de WhatsApp conectado para este mensaje. Conecta uno.",
    phone_number_id_required:
      "Tu empresa tiene varios números de WhatsApp. El programa debe indicar uno en phone_number_id.",
    media_expired:
      "WhatsApp guarda los archivos siete días. Lee el archivo poco después de que llegue el mensaje.",
    media_rejected:
      "WhatsApp no acepta este archivo. Revisa su tipo y su tamaño, o súbelo de nuevo.",
    template_rejected:
      "La plantilla no se puede enviar así. Su página muestra su estado y los valores que necesita.",
    recipient_unreachable:
      "WhatsApp no entrega mensajes a esta persona. Revisa el número, o contáctala por otro medio.",
    recipient_opted_out: "La persona no quiere estos mensajes. No se los envíes de nuevo.",
    too_many_requests:
      "El programa envía demasiadas solicitudes a la vez. Envía menos y espera los segundos de Retry-After.",
    channel_account_error: "WhatsApp rechaza la cuenta. La página de la cuenta dice por qué.",
    channel_unavailable:
      "WhatsApp no respondió. Repite la solicitud con la misma clave de idempotencia: nada se envía dos veces.",
    database_unavailable:
      "El servicio estuvo ocupado o no disponible por un momento. Repite la solicitud. Si continúa, avisa a quien administra este servicio.",
    internal:
      "Es una falla del servicio, no de tu programa. Dale el id de la solicitud a quien administra este servicio.",
  },
  correctField: (field) => `Corrige ${field} en el programa. El mensaje dice qué espera la API.`,
  otherAdvice: "La página sobre este error dice qué cambiar.",
};
