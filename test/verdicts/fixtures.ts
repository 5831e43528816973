import {
  absent,
  type Case,
  cells,
  clicks,
  enabled,
  fills,
  scoped,
  texts,
  things,
} from "./cases.ts";

const FORM = `<main><h1>Your profile</h1><form onsubmit="return false">
  <p><label for="name">Name</label> <input id="name"></p>
  <p><label>Email <input id="email" type="email" value="ann@example.com"></label></p>
  <p><label for="age">Age</label> <input id="age" type="number" value="13"></p>
  <p><label for="notes">Notes</label> <textarea id="notes">Call back</textarea></p>
  <p><label for="city">City</label> <input id="city" value="Bern"></p>
  <p><label for="country">Country</label> <select id="country"><option>Norway</option><option>Sweden</option><option selected>Denmark</option></select></p>
  <p><label for="colors">Colors</label> <select id="colors" multiple><option>Red</option><option>Blue</option><option>Green</option></select></p>
  <p><label><input id="news" type="checkbox"> Newsletter</label></p>
  <p><label><input id="terms" type="checkbox" checked> Terms</label></p>
  <p><label><input id="weekly" type="checkbox"> Weekly digest</label></p>
  <p><button id="save">Save</button> <button id="publish" type="button">Publish</button>
  <button id="archive" type="button" disabled>Archive</button> <a id="help" href="#help">Help centre</a></p>
</form></main>`;

const ORDERS = `<header><h1 id="title">Open orders</h1></header>
<nav aria-label="Main"><a id="home" href="#home">Home</a> <a id="reports" href="#reports">Reports</a></nav>
<p>Status: <b id="status">Active</b></p><p>Payment <span id="payment">paid</span></p>
<p>Cart: <span id="badge">3</span></p><p>Sum <span id="sum">$42.50</span></p><p id="note">Order shipped</p>
<table aria-label="Orders"><thead><tr><th>Order</th><th>Customer</th><th>Total</th><th>Action</th></tr></thead><tbody>
<tr id="r1"><td>1001</td><td id="c1">Ann Miller</td><td id="t1">$17.00</td><td><button id="d1">Details</button></td></tr>
<tr id="r2"><td>1002</td><td id="c2">Bob Stone</td><td id="t2">$99.90</td><td><button id="d2">Details</button></td></tr>
<tr id="r3"><td>1003</td><td id="c3">Cleo Park</td><td id="t3">$5.25</td><td><button id="d3">Details</button></td></tr>
</tbody></table>
<ul aria-label="Tasks" id="tasks"><li>Buy milk</li><li id="walk">Walk dog</li><li>Pay rent</li><li>Call mum</li></ul>`;

const SHOP = `<header><h1 id="title">Garden shop</h1></header>
<section aria-label="Billing" id="billing"><h2>Billing</h2><p id="card">Visa ending 4242</p><button id="eb">Edit</button><button id="cb">Charge</button></section>
<section aria-label="Shipping" id="shipping"><h2>Shipping</h2><p id="street">Harbour Road 9</p><button id="es">Edit</button></section>
<div role="tablist" aria-label="Views"><button role="tab" id="tab1" aria-selected="true">Overview</button><button role="tab" id="tab2">History</button></div>
<div role="toolbar" aria-label="Tools" id="tools"><button id="undo">Undo</button><button id="redo">Redo</button></div>
<p role="alert" id="alert">Quota exceeded</p><img id="logo" alt="Garden logo" width="20" height="20" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
<p id="cafe">Café Zürich</p><p id="cream">Crème brûlée</p><p id="dip">Jalapeño dip</p><footer id="foot"><span id="rights">All rights reserved</span></footer>`;

/** Small pages by name. */
export const fixtures: Readonly<Record<string, string>> = {
  "fixture:form": FORM,
  "fixture:orders": ORDERS,
  "fixture:shop": SHOP,
};

const state = (
  looks: Case["looks"],
  text: string,
  at: string,
  sentence: string,
  role: string,
): Case => ({ page: "fixture:form", looks, text, at, sentence, role });

export const fixtureCases: readonly Case[] = [
  ...texts("fixture:orders", [
    ["Active", "#status"],
    ["paid", "#payment"],
    ["3", "#badge"],
    ["$42.50", "#sum"],
    ["Order shipped", "#note"],
    ["Open orders", "#title"],
    ["Ann Miller", "#c1"],
    ["$99.90", "#t2"],
    ["Walk dog", "#walk"],
  ]),
  ...texts("fixture:shop", [
    ["Visa ending 4242", "#card"],
    ["Harbour Road 9", "#street"],
    ["Quota exceeded", "#alert"],
    // The sample has one of three neighbours.
    ["Café Zürich", "#cafe"],
    ["Crème brûlée", "#cream"],
    ["Jalapeño dip", "#dip"],
    ["All rights reserved", "#rights"],
  ]),
  ...things("fixture:orders", "link", "link", [
    ["Home", "#home"],
    ["Reports", "#reports"],
  ]),
  ...things("fixture:orders", "heading", "heading", [["Open orders", "#title"]]),
  ...things("fixture:shop", "heading", "heading", [["Garden shop", "#title"]]),
  ...things("fixture:shop", "tab", "tab", [
    ["Overview", "#tab1"],
    ["History", "#tab2"],
  ]),
  ...things("fixture:shop", "image", "img", [["Garden logo", "#logo"]]),
  ...things("fixture:form", "button", "button", [
    ["Save", "#save"],
    ["Publish", "#publish"],
  ]),
  ...things("fixture:form", "checkbox", "checkbox", [["Newsletter", "#news"]]),
  ...enabled("fixture:form", "button", "button", [
    ["Save", "#save"],
    ["Publish", "#publish"],
  ]),
  ...enabled("fixture:form", "field", "textbox", [
    ["Name", "#name"],
    ["City", "#city"],
  ]),
  state("disabled", "Archive", "#archive", 'The "Archive" button should be disabled', "button"),
  state("checked", "Terms", "#terms", 'The "Terms" checkbox should be checked', "checkbox"),
  state(
    "unchecked",
    "Weekly digest",
    "#weekly",
    'The "Weekly digest" checkbox should be unchecked',
    "checkbox",
  ),
  state(
    "value",
    "Email",
    "#email",
    'The "Email" field should have the value "ann@example.com"',
    "textbox",
  ),
  state("value", "Age", "#age", 'The "Age" field should have the value "13"', "textbox"),
  state("value", "City", "#city", 'The "City" field should have the value "Bern"', "textbox"),
  state(
    "value",
    "Notes",
    "#notes",
    'The "Notes" field should have the value "Call back"',
    "textbox",
  ),
  ...clicks("fixture:form", "button", "button", [
    ["Save", "#save"],
    ["Publish", "#publish"],
  ]),
  ...clicks("fixture:form", "link", "link", [["Help centre", "#help"]]),
  ...clicks("fixture:shop", "tab", "tab", [
    ["Overview", "#tab1"],
    ["History", "#tab2"],
  ]),
  ...clicks("fixture:shop", "button", "button", [
    ["Undo", "#undo"],
    ["Charge", "#cb"],
  ]),
  ...clicks("fixture:orders", "link", "link", [
    ["Home", "#home"],
    ["Reports", "#reports"],
  ]),
  ...fills("fixture:form", [
    ["Name", "#name"],
    ["Notes", "#notes"],
    ["City", "#city"],
  ]),
  state("select", "Country", "#country", 'Select "Sweden" from the "Country" dropdown', "combobox"),
  state("select", "Colors", "#colors", 'Select "Red" and "Blue" from "Colors"', "listbox"),
  state("check", "Newsletter", "#news", 'Tick the "Newsletter" checkbox', "checkbox"),
  state("check", "Weekly digest", "#weekly", 'Tick the "Weekly digest" checkbox', "checkbox"),
  ...scoped("fixture:shop", 'the "Billing" section', "#billing", [
    ["click", "Edit", "#eb"],
    ["thing", "Charge", "#cb"],
    ["text", "Visa ending 4242", "#card"],
  ]),
  ...scoped("fixture:shop", 'the "Shipping" section', "#shipping", [
    ["click", "Edit", "#es"],
    ["text", "Harbour Road 9", "#street"],
  ]),
  ...scoped("fixture:shop", "the footer", "#foot", [["text", "All rights reserved", "#rights"]]),
  ...scoped("fixture:shop", "the toolbar", "#tools", [["click", "Redo", "#redo"]]),
  ...scoped("fixture:orders", 'the "1002" row', "#r2", [
    ["click", "Details", "#d2"],
    ["text", "Bob Stone", "#c2"],
  ]),
  ...scoped("fixture:orders", 'the "Cleo Park" row', "#r3", [["click", "Details", "#d3"]]),
  ...cells("fixture:orders", [
    ["1001", "Total", "$17.00", "#t1"],
    ["1003", "Customer", "Cleo Park", "#c3"],
    ["Bob Stone", "Total", "$99.90", "#t2"],
  ]),
  {
    ...{ page: "fixture:orders", looks: "count", at: "#r2", text: "3", scope: "tbody" },
    sentence: 'There should be 3 rows in the "Orders" table',
  },
  {
    ...{ page: "fixture:orders", looks: "count", at: "#walk", text: "4", scope: "#tasks" },
    sentence: 'There should be 4 items in the "Tasks" list',
  },
  {
    ...{ page: "fixture:orders", looks: "content", at: "#title", text: "Open orders" },
    sentence: 'The heading should have the text "Open orders"',
  },
  ...absent("fixture:orders", "#note", ["Overdue", "7", "No orders yet", "cancelled", "$1.00"]),
  ...absent("fixture:form", "h1", ["Required", "Invalid address", "Saved"]),
  ...absent("fixture:shop", "#card", ["Expired", "Error"]),
];
