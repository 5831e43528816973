/** What fields are called so often that the bare word is one: `Enter password "x"`, `Email: a@b.c`. */
const FIELD_NAMES = new Set(
  [
    "username|user name|password|email|e-mail|email address|e-mail address|name",
    "first name|last name|full name|surname|middle name|phone|phone number|mobile number|telephone",
    "zip|zip code|postal code|postcode|city|street|street address|date of birth|birthday|card number",
    "credit card number|expiry date|cvv|cvc|confirm password|new password|old password|current password",
    "user id|userid|pin|pin code|postal code|pass|pw|user|login|company|country code|customer id|account number|order number|cvc code|security code|verification code|promo code|voucher code|gift code|voucher|login name|nickname|coupon code|quantity|subject|job title|date of joining|iban",
  ]
    .join("|")
    .split("|"),
);

/** Whether an unquoted name can be nothing but a field's. */
export const isFieldName = (words: string): boolean => FIELD_NAMES.has(words.toLowerCase());
