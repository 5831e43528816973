import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Addresses, history and the page as a whole. */
export const pages = [
  command(
    "<go> to|onto|at|into|on? the? page|url|address|site|website? {url} page|url|site?",
    "navigate - url",
    "Go to /login => navigate ← /login",
  ),
  command(
    "<open> the? page|url|address|site|website|link? {url} page|url|site?",
    "navigate - url",
    "Visit shop.example.com => navigate ← https://shop.example.com",
  ),
  command("<go> to|onto? <home>", "navigate - =/", "Go to the home page => navigate ← /"),
  command("<open> <home> {url}", "navigate - url"),
  command("{webUrl:url}", "navigate - url", "/login => navigate ← /login", { cost: 0.5 }),
  command("<go> one page forward|forwards <forward_page>?", "go_forward"),
  command("<open> <home>", "navigate - =/", "Open the homepage => navigate ← /"),
  command(
    "am|are|is|am_now|is_now <at> the? page|url? {url} page|url?",
    "navigate - url",
    'Given I am on "/login" => navigate ← /login',
    { moods: ["given", "none"] },
  ),
  command(
    "the? page|url|address? {url} page? is|are open|opened|loaded|displayed|shown",
    "navigate - url",
    'Given the page "/login" is open => navigate ← /login',
    { moods: ["given", "none", "when"], cost: -0.6 },
  ),
  command(
    "<viewport> is|has|has_a_size_of {size}",
    "set_viewport - size",
    "Given the browser window is 375x812 => set_viewport ← 375x812",
    { cost: -0.3 },
  ),
  command(
    "am|are|is on|at <home>",
    "navigate - =/",
    "Given I am on the home page => navigate ← /",
    { moods: ["given"] },
  ),
  command("back <back_page>", "go_back"),
  command("<go> one page back", "go_back", "Go one page back => go_back"),
  command("<back> <back_page>?", "go_back", "Go back => go_back"),
  command("<go> back <back_page>?", "go_back"),
  command("<go> backward|backwards <back_page>?", "go_back"),
  command("<go> to the? previous page", "go_back"),
  command(
    "press|click|use|hit the? browser's|browser back button",
    "go_back",
    "Press the browser's back button => go_back",
    { cost: -0.5, again: ["the? forward button => go_forward"] },
  ),
  command("<go> forward|forwards <forward_page>?", "go_forward", "Go forward => go_forward"),
  command("press|click|use|hit the? browser's|browser forward button", "go_forward"),
  command("view|views {url}", "navigate - url", "View /orders => navigate ← /orders", {
    cost: -0.3,
  }),
  command(
    "<change> <url> to {url}",
    "navigate - url",
    "Change the URL to /orders => navigate ← /orders",
    { cost: -0.9 },
  ),
  command(
    "<fill> the? url|address? {url} in|into|to the? address_bar|url_bar|browser's_address_bar|browser_address_bar|location_bar|address_field|browser",
    "navigate - url",
    'Enter "/admin" in the URL bar => navigate ← /admin',
    { cost: -0.9 },
  ),
  command(
    "<fill> the? url|address? {url} in|into|to the? address_bar|url_bar|browser's_address_bar|browser_address_bar|location_bar|address_field|browser and press|hit|hits|presses enter|return|go",
    "navigate - url",
    'Type "/sale" into the address bar and hit Enter => navigate ← /sale',
    { cost: -1.5 },
  ),
  command(
    "click|press|hit back in|on the? browser",
    "go_back",
    "Click back in the browser => go_back",
    { cost: -0.5 },
  ),
  command("press|click|hit|use the? browser's|browser refresh|reload button", "reload", null, {
    cost: -0.5,
  }),
  command("<reload> <page_word>?", "reload", "Reload the page => reload"),
  command(
    "<launch> <browser_app> and? <go> to|onto|at? the? page|url|address|site? {url}",
    "navigate - url",
    "Launch the browser and navigate to /a => navigate ← /a",
    { cost: -0.3 },
  ),
  command(
    "<launch>|<open>|access|start <browser_app>|<home>|the_login_page|login_page|the_page at|on|under|with {url}",
    "navigate - url",
    "Access the application at /app => navigate ← /app",
    { cost: -0.3 },
  ),
  command(
    "<go>|<open> directly|straight|back|first|now to|on|at? the? page|url|address? {url} page?",
    "navigate - url",
    'Go back to "/cart" => navigate ← /cart',
    { cost: -0.1 },
  ),
  command(
    "<go>|<open> to|: the? following? page|url|address|link|: :? {url}",
    "navigate - url",
    "Navigate to: /shop => navigate ← /shop",
  ),
  command(
    "goto|nav_to|nav|launch|start_on|start_at|starts_at|start_from|begin_at|begin_on|start_by_visiting|begin_by_visiting|at the? page|url|address|following_url? :? {url}",
    "navigate - url",
    "goto /login => navigate ← /login",
  ),
  command(
    "<open> the? following|url :|url|address|page|link :? {url}",
    "navigate - url",
    "Open the following URL: /sale => navigate ← /sale",
  ),
  command(
    "<go> <browser_app> to {url}",
    "navigate - url",
    'Navigate the browser to "/admin" => navigate ← /admin',
  ),
  command(
    "<go>|go back|directly to? <home>",
    "navigate - =/",
    "Go back to the homepage => navigate ← /",
  ),
  command(
    "i'm|im|we're|am_viewing|is_viewing|am_currently|viewing|visiting on|at? the? page? {url} page?",
    "navigate - url",
    'Given I\'m on "/login" => navigate ← /login',
    { moods: ["given", "none"], cost: 0.1 },
  ),
  command("am|is|are|i'm on|at <home>", "navigate - =/", "I am on the homepage => navigate ← /", {
    moods: ["none"],
  }),
  command(
    "<go> back two|2|twice pages|times?",
    "go_back ; go_back",
    "Go back two pages => go_back ; go_back",
    { cost: -0.3 },
  ),
  command(
    "press|click|use|hit the? back button of|in the? browser",
    "go_back",
    "Press the back button of the browser => go_back",
    { cost: -0.8 },
  ),
];
