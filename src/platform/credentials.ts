/** Replaces the password of every URL in a text: `postgres://user:***@host`. Rather too much than too little: passwords hold slashes. */
export const withoutCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@]*@/gi, "$1:***@");
