import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect } from "react";
import icon from "../ui/icon.svg";
import { Icon } from "../ui/icon.tsx";

/** Sets the title of the browser's tab. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Runledger`;
  }, [title]);
};

type PageProps = {
  readonly title: string;
  /** The heading, if it is more than the title. */
  readonly heading?: ReactNode;
  readonly crumbs?: readonly { readonly to: string; readonly label: string }[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A screen inside the frame: where it is, its title, its actions, its content. */
export const Page = ({ title, heading, crumbs = [], actions, children }: PageProps) => {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div className="title">
          {crumbs.length > 0 && (
            <nav className="crumbs" aria-label="Breadcrumb">
              {crumbs.map(({ to, label }) => (
                <Fragment key={to}>
                  <Link to={to}>{label}</Link>
                  <Icon name="right" />
                </Fragment>
              ))}
            </nav>
          )}
          <h1>{heading ?? title}</h1>
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
};

/** A screen without the frame, such as the sign-in. */
export const AlonePage = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) => {
  useTitle(title);
  return (
    <div className="alone">
      <main>
        <p className="brand">
          <img className="logo" src={icon} alt="" width={24} height={24} /> Runledger
        </p>
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  );
};
