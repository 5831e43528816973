import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BenchContext } from "../harness/bench.ts";

export type Shop = {
  readonly url: string;
  /** Called with path and query for each page request. */
  onRequest: (path: string) => void;
};

/** Serves a small site to test: a form with dynamic content and a second page. */
export const startShop = async (context: Pick<BenchContext, "defer">): Promise<Shop> => {
  const shop = { url: "", onRequest: (_: string) => {} };
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path.startsWith("/favicon")) {
      response.writeHead(204).end();
      return;
    }
    shop.onRequest(path);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(path.startsWith("/done") ? DONE : FORM);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  shop.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return shop;
};

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:40rem}label{display:block;margin:.5rem 0}</style>
</head><body>${body}</body></html>`;

const FORM = page(
  "Shop",
  `<h1>The shop</h1>
<nav><a href="/">Home</a> <a href="/help">Help</a></nav>
<label>Name <input name="name"></label>
<label>Email <input name="email" type="email"></label>
<label>Size <select name="size"><option>Small</option><option>Medium</option><option>Large</option></select></label>
<label><input type="checkbox" name="gift"> Gift wrap</label>
<button id="add">Add to basket</button> <button id="clear">Clear</button>
<p id="basket" role="status">Your basket is empty</p>
<ul>${Array.from({ length: 20 }, (_, n) => `<li>Item ${n + 1}: a thing of some length</li>`).join("")}</ul>
<a href="/done">Check out</a>
<script>
let count = 0;
const basket = document.getElementById("basket");
document.getElementById("add").onclick = () => { count += 1; basket.textContent = count + " in your basket"; };
document.getElementById("clear").onclick = () => { count = 0; basket.textContent = "Your basket is empty"; };
</script>`,
);

const DONE = page("Done", "<h1>Thank you</h1><p>Your order is on its way.</p>");

/** A test of the shop with ten steps. */
export const TEN_SENTENCES = `Go to /
Type "Ann Example" into "Name"
Type "ann@example.test" into "Email"
Select "Large" from "Size"
Tick "Gift wrap"
Click the "Add to basket" button
I should see "1 in your basket"
Click the "Check out" link
I should see "Thank you"
I should see "Your order is on its way."
`;
