import type { BrowserContext } from "playwright";
import { isPublicAddress, refusalOf } from "./networkPolicy.ts";

/**
 * Under the `public` policy: requests to other addresses are not sent, and an answer that came from one all
 * the same (a redirect, a name that resolves differently the second time) ends the test.
 */
export const guardAddresses = async (
  context: BrowserContext,
  lose: (message: string) => void,
): Promise<void> => {
  await context.route("**/*", async (route) => {
    const refusal = await refusalOf(route.request().url(), "public");
    await (refusal ? route.abort("accessdenied") : route.continue()).catch(() => {});
  });
  context.on("response", (response) => {
    void response.serverAddr().then(
      (address) => {
        if (!address || isPublicAddress(address.ipAddress)) return;
        lose(
          `${new URL(response.url()).host} led to ${address.ipAddress}, which is not on the public internet.`,
        );
      },
      () => {},
    );
  });
};
