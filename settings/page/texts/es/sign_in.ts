export const signIn = {
  signIn: {
    titles: {
      password: "Iniciar sesión",
      link: "Iniciar sesión con un enlace",
      reset: "¿Olvidaste la contraseña?",
    },
    leads: {
      password: "Cuida de las claves de API de tu empresa.",
      link: "Te enviamos un correo con un enlace. Ábrelo para entrar.",
      reset: "Te enviamos un correo con un enlace. Ábrelo y elige una contraseña nueva.",
    },
    email: "Correo electrónico",
    password: "Contraseña",
    buttons: { password: "Iniciar sesión", link: "Enviar el enlace", reset: "Enviar el enlace" },
    others: {
      password: "Iniciar sesión con la contraseña",
      link: "Recibir un enlace para entrar",
      reset: "Olvidé mi contraseña",
    },
    sent: (email: string) =>
      `Si ${email} tiene una cuenta aquí, un correo está en camino. Abre el enlace en este navegador. Funciona una vez y solo durante un tiempo. Revisa también la carpeta de spam.`,
    localMail: "En esta máquina los correos no se envían. Léelos aquí:",
    back: "Volver",
    notes: {
      ended: "Tu sesión se cerró.",
      linkFailed: "Este enlace ya se usó, o es demasiado antiguo. Pide uno nuevo abajo.",
      otherBrowser:
        "Este enlace no se pidió en este navegador. Pide uno nuevo abajo y ábrelo aquí.",
    },
    refused: {
      wrongPassword: "El correo o la contraseña no son correctos.",
      notConfirmed: "Tu correo aún no está confirmado. Abre el enlace del correo que recibiste.",
      banned: "Esta cuenta está bloqueada. Habla con quien administra este servicio.",
      weakPassword: "Esta contraseña es fácil de adivinar. Elige una más larga.",
      samePassword: "Esta ya es tu contraseña. Elige otra.",
      signInAgain: "Para esto, cierra la sesión e iníciala de nuevo primero.",
      wrongEmail: "Esto no es una dirección de correo.",
    },
  },

  link: {
    titles: { other: "¿Cambiar de cuenta?", nobody: "¿Iniciar sesión con este enlace?" },
    other: (present: string, coming: string) =>
      `Has entrado como ${present}. Este enlace es de la cuenta ${coming}.`,
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
    show: "Mostrarla",
    save: "Guardar",
    done: "Tu contraseña nueva está guardada.",
  },
};
