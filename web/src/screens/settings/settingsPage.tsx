import "../runs/runs.css";
import "./settings.css";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../shell/pages.tsx";

const tabs = [
  { to: "/settings", label: "Organisation" },
  { to: "/settings/members", label: "Members" },
  { to: "/settings/api-keys", label: "API keys" },
  { to: "/settings/notifications", label: "Notifications" },
  { to: "/settings/plan", label: "Plan" },
  { to: "/settings/audit", label: "Audit" },
] as const;

/** A screen of the settings, with the way to the others. */
export const SettingsPage = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) => (
  <Page title={title} heading="Settings">
    <nav className="tabs" aria-label="Settings">
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
    {children}
  </Page>
);
