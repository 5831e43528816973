import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { entitlementsQuery, usageQuery } from "../service/organization.ts";
import { queryClient } from "../service/queryClient.ts";
import { chooseOrganization } from "../service/session.ts";
import { signOut } from "../service/signOut.ts";
import { useSignedIn } from "../service/useSession.ts";
import icon from "../ui/icon.svg";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { chooseTheme, chosenTheme, type Theme } from "../ui/theme.ts";

const places = [
  { to: "/", label: "Home", icon: "home", exact: true },
  { to: "/tests", label: "Tests", icon: "tests", exact: false },
  { to: "/runs", label: "Runs", icon: "runs", exact: false },
  { to: "/schedules", label: "Schedules", icon: "clock", exact: false },
  { to: "/settings", label: "Settings", icon: "settings", exact: false },
] as const satisfies readonly { to: string; label: string; icon: IconName; exact: boolean }[];

/** The places of a role that reads no results: its home is the plan, in the settings. */
const placesWithoutResults = places.filter(({ to }) => to === "/settings");

export const Sidebar = () => (
  <header className="sidebar">
    <OrganizationMenu />
    <Places />
    <div className="spacer" />
    <Quota />
  </header>
);

const Places = () => {
  const { organization } = useSignedIn();
  const { data } = useQuery({ ...entitlementsQuery(), enabled: organization !== null });
  const isLimited = data !== undefined && !data.permissions.includes("results:read");
  return (
    <nav className="nav" aria-label="Main">
      {(isLimited ? placesWithoutResults : places).map(({ to, label, icon, exact }) => (
        <Link key={to} to={to} activeOptions={{ exact, includeSearch: false }}>
          <Icon name={icon} /> {label}
        </Link>
      ))}
    </nav>
  );
};

const themes: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

const OrganizationMenu = () => {
  const { organizations, organization, user } = useSignedIn();
  const navigate = useNavigate();
  const name = organization?.name ?? "No organisation";
  const choose = (id: string) => {
    chooseOrganization(id);
    queryClient.clear();
    void navigate({ to: "/" });
  };
  return (
    <Menu
      trigger={
        <button type="button" className="organization" aria-label={`${name}, account menu`}>
          <img className="logo" src={icon} alt="" width={24} height={24} />
          <span className="name">{name}</span>
          <Icon name="chevron" />
        </button>
      }
    >
      <MenuChoice
        label="Organisation"
        value={organization?.id ?? ""}
        options={organizations.map(({ id, name, role }) => ({
          value: id,
          label: `${name} · ${role}`,
        }))}
        onChoose={choose}
      />
      <MenuSeparator />
      <MenuChoice
        label="Theme"
        value={chosenTheme()}
        options={themes}
        onChoose={(theme) => chooseTheme(theme as Theme)}
      />
      <MenuSeparator />
      <MenuItem icon="user" onSelect={() => void navigate({ to: "/account" })}>
        {user.email}
      </MenuItem>
      <MenuItem icon="out" onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
};

/** The tests of the period that are left; hidden from roles that may not read them. */
const Quota = () => {
  const { organization } = useSignedIn();
  const { data } = useQuery({ ...usageQuery(), enabled: organization !== null });
  if (!data) return null;
  return (
    <div className="quota">
      <span>
        <span className="figures">{data.remaining}</span> of{" "}
        <span className="figures">{data.limit}</span> runs left
      </span>
      <progress aria-label="Used quota" value={data.used + data.reserved} max={data.limit} />
    </div>
  );
};
