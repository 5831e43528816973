/** Descriptions of fields and parameters, from N to Z, and of single components. Format: src/api/openapi/glossary.ts. */
export const termsNToZ = `
name: The name.
new_password: The new password.
next_attempt_at: When processing is retried, null if it is not.
next_cursor: The next page's cursor, null on the last.
next_try_at: When delivery is retried, null if it is not.
no_longer_fits: Resources that exceed the limits of the new plan.
not_passed: The number of tests that did not pass.
notification_emails: The addresses that are notified.
number: The number, from 1.
occurred_at: When the event occurred.
on: The runs that are notified: all, failures or changes.
optional: Whether a failure of the step is ignored.
organization: The organisation.
organization_id: The id of the organisation.
organization_name: The name of the new organisation.
organizations: The organisations of the user.
other: The value of the other plan.
outcome: The outcome.
overlap: How a tick is handled while the previous run is still active.
own_interval: The interval of the organisation's own plan.
own_plan: The organisation's own plan, without a grant.
parallel_executions: The number of concurrent executions, null if unlimited.
parent_id: The id of the parent folder, null at the top level.
parked: The number of parked events.
parked_at: When the event was parked.
parts: The parts of the service.
pass_rate: The share of passed executions, null without executions.
passed: The number of passed executions.
password: The password.
period: The month, such as 2026-03.
period_end: The end of the billing period.
period_start: The start of the billing period.
permissions: The actions that the role of the caller permits.
pictures: The number of compared pictures.
pixels: The number of differing pixels.
plan: The code of the plan.
plan_after: The plan after the event.
plan_at: The plan at the requested time.
plan_before: The plan before the event.
platform: The platform of the test.
position: The position, from 1.
prefix: The beginning of the name.
preview: The effects of the change.
previous_hash: The hash of the previous event.
price: The price.
problems: The failures.
product_mail: Whether to send account mail that does not concern security.
project: The project.
project_id: The id of the project, null for none.
projection: The name of the read model.
proposals: The proposed steps of a language model.
proposed: The proposed picture, null if there is none.
proposed_at: When the picture was proposed.
proration: The credits and charges of the change.
provider: The provider.
provider_event_id: The id of the provider's event.
q: The search text.
quarantined: The number of failures of quarantined tests, which do not count.
queue: The queued executions.
queued_at: When the run was queued.
quota: The use of the monthly quota.
ratio: The share of differing pixels, from 0 to 1.
read_model: The value in the read model.
read_models: The compared read models.
reason: The reason.
received: Whether the event was applied.
received_at: When the event was received.
recorded_at: When the event was recorded.
refusals: Whether refused runs are notified.
refunded_at: When the unit was given back.
refused: The number of refused entries.
refused_at: When the request was refused.
refused_requests: The number of refused requests.
refused_runs: The number of refused runs.
remaining: The remaining units, null if unlimited.
requested: The requested units.
reserved: The units reserved by unfinished runs.
resets_at: When the quota is reset.
result: The result, null until it is available.
retention_days: How long screenshots and artifacts are kept, in days.
retry_asked_at: When a retry was requested, null if it was not.
return_to: The path of the web app to return to.
reverted_to: The restored version, null if the change is not a revert.
revision: The revision of the event in its stream, from 0.
role: The role in the organisation.
row: The row of test data, null for tests without data.
rows: The rows.
rule: The rule that refused the request.
run: The run.
run_id: The id of the run.
run_ids: The ids of the runs.
run_status: The current status of the run.
runner_up: The similarity of the second-best element.
running: The number of running executions.
schedule_id: The id of the schedule.
scheduled_change: The scheduled change, null if there is none.
schedules: The maximum number of schedules, null if unlimited.
screenshot_url: The API path of the screenshot, null if there is none.
seats: The maximum number of members, null if unlimited.
seen_at: When the agent last responded.
sequence: The sequence number of the last event.
server_time: The time of the service.
settings: The settings.
sha256: The SHA-256 hash of the content.
signs: The number of signs of flakiness.
since: The start.
size_differs: Whether the pictures have different sizes.
skip_reason: The reason for skipping the event.
skipped: Include skipped events.
skipped_at: When the event was skipped, null if it was not.
slowest: The slowest tests.
sort: The order: \`created_at\` or, newest first, \`-created_at\`.
sought: The kind of the recognised search text.
sources: The sources of runs that are notified.
started_at: When it started, null until then.
state: The state.
status: The status.
step_count: The number of steps.
step_id: The id of the step.
step_ids: The ids of all steps in the new order.
step_number: The number of the step, from 1.
step_timeout_seconds: Timeout of a step, in seconds.
steps: The steps in order.
steps_done: The number of finished steps.
steps_total: The number of steps in all browsers.
stream: The name of the stream.
subject: The subject of the mail.
suggestions: Sentences that the grammar understands.
suite: The suite in the imported report.
table: The table.
tables: The compared tables.
tag: The name or id of a tag.
tag_id: The id of the tag.
tags: The tags of the test.
taken_at: When the screenshot was taken.
target: The element or address of the step.
test: The test.
test_id: The id of the test.
test_count: The number of tests.
first_test: The name of the first test, null without tests.
test_ids: The ids of the tests.
test_name: The name of the test when it ran.
test_set: The test set.
test_set_id: The id of the test set, null for none.
test_set_ids: The ids of the test sets.
test_timeout_seconds: Timeout of one attempt of a test in one browser, in seconds.
run_timeout_seconds: Timeout of a run since it was queued, in seconds.
test_version: The version of the test.
tests: The tests.
text: The text in plain English.
theme: The colour theme.
threshold: The tolerated colour difference, from 0 to 1.
tick_at: The due time.
time_zone: The IANA time zone.
times: The number of executions that used the found element.
timezone: The IANA time zone.
to: The end.
to_interval: The new billing interval.
to_plan: The code of the new plan.
to_position: The position after the change.
token: The token from the mail.
token_type: Always Bearer.
total: The total number.
totals: The number of executions by status.
triggered_by: \`user:<e-mail address>\`, \`api:<key name>\`, \`schedule:<name>\` or \`import\`.
type: The type.
units: The number of units.
untag: The tag to remove.
until: The end.
updated_at: The time of the last change.
url: The API path of the content.
use: The use of the key.
used: The used units.
used_by: The units by user, API key or schedule.
user: The user.
user_email: The e-mail address of the person.
user_id: The id of the user.
user_name: The name of the person.
value: The value of the step, such as the text to type.
values: The values by column.
variables: The variables by name.
verification_id: The id of the verification.
verdict: The status with its reservations, null until it is final.
version: The version, also the ETag.
versions: The versions since then.
viewport: The size of the browser window in pixels.
visual_baselines: Whether visual baselines are included.
wait: How long the response may wait for a change, in seconds.
waiting: The number of waiting executions.
warnings: The lines that the grammar does not understand, or understands only with doubt.
what: The kind of the entry.
which: The approved or the proposed picture.
width: The width in pixels.
x: The left edge in pixels.
y: The top edge in pixels.
year: The price per year in the currency.
Agent.version: The version of the agent program.
TestSet.items: The tests in order.
Event.sequence: The sequence number of the event in its run, from 1.
Event.name: The type of the event.
Failure.changes: The differences from the last passed execution.
`;
