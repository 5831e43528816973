import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { messageOf } from "../service/errors.ts";
import { Failure } from "../ui/states.tsx";

export const NotFound = () => (
  <main className="page">
    <Failure title="There is no such page" detail="Check the address, or start from the home page.">
      <Link className="button primary" to="/">
        Go to the home page
      </Link>
    </Failure>
  </main>
);

/** Shown instead of a screen that cannot be loaded. */
export const Crashed = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <main className="page">
      <Failure title="The page could not be opened" detail={messageOf(error)} onRetry={retry} />
    </main>
  );
};
