export const signIn = {
  signIn: {
    titles: {
      expired: "Inicia sesión de nuevo",
      password: "Iniciar sesión",
      link: "Iniciar sesión con un enlace",
      reset: "¿Olvidaste la contraseña?",
      code: "Ingresa tu código",
    },
    leads: {
      password: "Administra las claves de API y el WhatsApp de tu empresa.",
      link: "Te enviamos un correo con un enlace. Ábrelo para entrar.",
      reset: "Te enviamos un correo con un enlace. Ábrelo y elige una contraseña nueva.",
      code:
        "Un paso más: abre tu aplicación de códigos e ingresa el código que muestra para esta página.",
    },
    email: "Correo electrónico",
    password: "Contraseña",
    code: "Código de la aplicación",
    codeHint:
      "Seis cifras que cambian cada 30 segundos. Si perdiste tu teléfono, pide ayuda a quien administra este servicio.",
    app: "Aplicación",
    buttons: {
      password: "Iniciar sesión",
      link: "Enviar el enlace",
      reset: "Enviar el enlace",
      code: "Iniciar sesión",
    },
    others: {
      password: "Iniciar sesión con la contraseña",
      link: "Recibir un enlace para entrar",
      reset: "Olvidé mi contraseña",
    },
    sent: (email: string) =>
      `Si ${email} tiene una cuenta aquí, un correo está en camino. Abre el enlace en este navegador. Funciona una vez y solo durante un tiempo. Revisa también la carpeta de spam.`,
    localMail: "En esta máquina los correos no se envían. Léelos aquí:",
    back: "Volver",
    expired:
      "Tu sesión terminó. Escribe tu contraseña y sigue aquí: lo que escribiste no se ha perdido.",
    asAnother: "Salir de esta página",
    notes: {
      ended: "Cerraste la sesión.",
      expired: "Tu sesión terminó, así que inicia sesión de nuevo. Después vuelves a esta página.",
      linkFailed: "Este enlace ya se usó, o es demasiado antiguo. Pide uno nuevo abajo.",
      otherBrowser: "Este enlace se pidió en otro navegador. Pide uno nuevo abajo y ábrelo aquí.",
    },
    refused: {
      wrongPassword: "El correo o la contraseña no son correctos.",
      notConfirmed:
        "Tu correo todavía no está confirmado. Abre el enlace del correo que recibiste.",
      banned: "Esta cuenta está bloqueada. Habla con quien administra este servicio.",
      weakPassword: "Esta contraseña es fácil de adivinar. Elige una más larga.",
      longPassword:
        "Esta contraseña es demasiado larga. Elige una más corta. Las letras con acento y de otros alfabetos ocupan más espacio.",
      samePassword: "Esta ya es tu contraseña. Elige otra.",
      signInAgain: "Antes de hacer esto, cierra la sesión e iníciala de nuevo.",
      wrongEmail: "Esto no es una dirección de correo.",
      wrongCode:
        "Este código no es correcto. Ingresa el que la aplicación muestra ahora y comprueba que el reloj de tu teléfono esté en hora.",
      sameName: "Ya tienes una aplicación con este nombre. Elige otro.",
    },
  },

  link: {
    titles: { other: "¿Cambiar de cuenta?", nobody: "¿Iniciar sesión con este enlace?" },
    other: (present: string, coming: string) =>
      `Tu sesión es de ${present}. Este enlace es de la cuenta ${coming}.`,
    nobody: (coming: string) => `Este enlace es de la cuenta ${coming}.`,
    notAskedFor:
      "Nadie lo pidió en este navegador. Continúa solo si la cuenta es tuya y esperabas este enlace.",
    stay: (present: string) => `Seguir como ${present}`,
    goOn: (coming: string) => `Entrar como ${coming}`,
    leave: "No iniciar sesión",
  },

  password: {
    title: "Elegir una contraseña nueva",
    lead: (email: string) => `Para ${email}.`,
    password: "Contraseña nueva",
    hint: (shortest: number) => `Al menos ${shortest} caracteres.`,
    show: "Mostrar la contraseña",
    save: "Guardar",
    done: "Tu contraseña nueva se guardó.",
  },
};
