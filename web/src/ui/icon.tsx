import type { ReactNode } from "react";

/** Stroked icons on a grid of 16. */
const paths = {
  home: <path d="M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.8V9.7H6.2v3.8H3a.5.5 0 0 1-.5-.5Z" />,
  tests: <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.3 4h.4M2.3 8h.4M2.3 12h.4" />,
  runs: <path d="M4.5 2.8v10.4L13 8Z" />,
  play: <path d="M4.5 2.8v10.4L13 8Z" fill="currentColor" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  minus: <path d="M4 8h8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  chevron: <path d="m5 6.5 3 3 3-3" />,
  right: <path d="m6.5 5 3 3-3 3" />,
  search: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.3-1.2 3.2 3.2" />,
  clock: <path d="M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3.2l2 1.3" />,
  user: (
    <path d="M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8Zm-5 5.2c.6-2.3 2.5-3.4 5-3.4s4.4 1.1 5 3.4" />
  ),
  warning: <path d="M8 2.5 14 13H2ZM8 6.5v3M8 11.2v.2" />,
  retry: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3" />,
  stop: <path d="M4 4h8v8H4z" />,
  picture: <path d="M2.5 3.5h11v9h-11zM2.5 11l3.2-3.2 2.6 2.6 1.9-1.9 3.3 3M10.4 6.2h.2" />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  out: <path d="M6.5 2.5h-3v11h3M7 8h6.5m-2.3-2.5L13.5 8l-2.3 2.5" />,
  more: <path d="M3.5 8h.2M8 8h.2M12.5 8h.2" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9" />,
  settings: (
    <path d="M2.5 4.8h5M11 4.8h2.5M2.5 11.2H5M8.5 11.2h5M9.3 6.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4ZM6.7 12.9a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Z" />
  ),
  key: (
    <path d="M5.5 13a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM7.5 8.5l5.5-5.5M10.5 5.5 12.5 7.5" />
  ),
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof paths;

/** A decorative icon: its button or text carries the name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    {paths[name]}
  </svg>
);
