import { Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "../service/queryClient.ts";
import { useSession } from "../service/useSession.ts";
import { Loading } from "../ui/states.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The navigation around every screen of a session. */
export const Frame = () => {
  const session = useSession();
  useReturnAfterSignIn();
  if (session.status !== "signedIn") return <Loading label="Going to the sign-in" />;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Sidebar />
      {/* A change of the organisation starts every screen anew. */}
      <main className="main" id="content" tabIndex={-1} key={session.organization?.id}>
        <Outlet />
      </main>
    </div>
  );
};

/** Leads to the sign-in when the session ends, and from there back to the same place. */
const useReturnAfterSignIn = (): void => {
  const session = useSession();
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    if (session.status !== "signedOut") return;
    queryClient.clear();
    const { href } = router.state.location;
    if (href.startsWith("/sign-in")) return;
    const search = session.expired ? { return_to: href, expired: true } : {};
    void navigate({ to: "/sign-in", search, replace: true });
  }, [session, navigate, router]);
};
