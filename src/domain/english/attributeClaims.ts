import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, claim, HAVE, text, WITH } from "./verbs.ts";

/** Claims that an attribute of the target, named here, is the value. */
export const attribute =
  (name: string) =>
  (slots: Bindings): Built => ({
    action: "assert_attribute",
    target: text(slots, "target"),
    value: `${name}=${text(slots, "value")}`,
  });

/** Claims that the attribute that a slot names is the value. */
export const namedAttribute = (slots: Bindings): Built => attribute(text(slots, "name"))(slots);

/** The attributes of an element, said as such or by what they mean. */
export const attributeClaims: readonly Form[] = [
  {
    pattern: `the? {target:quoted} placeholder|placeholder_text|field_placeholder|field's_placeholder ${BE}|should_equal|equals|reads|says|shows|should_read|should_say {value:quoted}`,
    example: 'The "Email" field should have the placeholder "you@example.com"',
    build: attribute("placeholder"),
  },
  ...(["type", "role", "aria-label", "rel", "maxlength", "title"] as const).map(
    (name): Form => ({
      pattern: `{target:target} ${HAVE} the|a|an? ${name} attribute? of|as|=? {value:quoted}`,
      example: 'The "Home" link should have the attribute "href=/"',
      build: (slots) =>
        kindOfSlot(slots.target) === null && slots.target?.target?.find.by !== "selector"
          ? null
          : attribute(name)(slots),
    }),
  ),
  {
    pattern: `the? alt|alt_text|alternative_text|alternate_text of|for|on {target:target} ${BE}|should_equal|equals|should_read|reads {value:quoted}`,
    example: 'The "Logo" image should have the attribute "alt=Acme"',
    build: attribute("alt"),
  },
  ...(["href", "src", "placeholder"] as const).flatMap((name): Form[] => [
    {
      pattern: `{target:target} ${HAVE} the|a|an? ${name} attribute? of|as|=|with_value? {value:quoted}`,
      example: `The "Home" link should have the attribute "href=/"`,
      build: attribute(name),
    },
    {
      pattern: `the? ${name} attribute? of|for|on {target:target} ${BE}|should_equal|equals {value:quoted}`,
      example: `The "Home" link should have the attribute "href=/"`,
      build: attribute(name),
    },
  ]),
  {
    pattern: `{target:target} ${HAVE} the|an|a? attribute|html_attribute {name:quoted} of|as|=|with|with_value|with_the_value|equal_to|equals|set_to? {value:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: namedAttribute,
  },
  {
    pattern: `the? attribute {name:name} of|from|on {target:target} ${BE}|should_equal|equals {value:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: namedAttribute,
  },
  {
    pattern:
      "{target:target} should_point_to|points_to|should_link_to|links_to|should_lead_to|leads_to|to_point_to|to_link_to|should_go_to {value:value}",
    example: 'The "Home" link should have the attribute "href=/"',
    build: attribute("href"),
  },
  {
    pattern: `{target:target} ${HAVE} the|an? url|address|link|target_url of|as? {value:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => (kindOfSlot(slots.target) === "link" ? attribute("href")(slots) : null),
  },
  {
    pattern: "{target:target} goes_to|navigates_to|redirects_to|should_navigate_to {value:quoted}",
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => (kindOfSlot(slots.target) === "link" ? attribute("href")(slots) : null),
  },
  {
    pattern: `{target:target} ${HAVE} the|an? alt|alt_text|alternative_text|alternate_text of|as? {value:quoted}`,
    example: 'The "Logo" image should have the attribute "alt=Acme"',
    build: attribute("alt"),
  },
  {
    pattern: `the? {name:name} attribute of {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The href attribute of the "Home" link should be "/"',
    build: namedAttribute,
  },
  {
    pattern: `{target:target} ${HAVE} the|an? attribute {pair:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => {
      const pair = text(slots, "pair");
      return pair.includes("=") ? claim("assert_attribute", "pair")(slots) : null;
    },
  },
  {
    pattern: `{target:target} ${HAVE} the|an? attribute {name:name} ${WITH} {value:value}`,
    example: 'The "Home" link should have the attribute "href" with value "/"',
    build: namedAttribute,
  },
  {
    pattern: `{target:target} ${HAVE} the|an|a? {name:name} attribute ${WITH}? {value:value}`,
    example: 'The "Home" link should have the href attribute "/"',
    build: namedAttribute,
  },
  {
    pattern: `{target:target} ${HAVE} the? placeholder {value:value}`,
    example: 'The "Email" field should have the placeholder "you@example.com"',
    build: attribute("placeholder"),
  },
];
