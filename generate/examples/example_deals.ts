import type { OperationId } from "../openapi/functions.ts";
import { contact, demoId } from "./demo_ids.ts";
import type { ExampleRequest } from "./example_request.ts";

/** The example requests that change deals, and the pipelines and stages that contain them. */
export const DEAL_WRITES = {
  createDeal: [
    {
      name: "created",
      summary: "A new deal",
      body: {
        title: "Analytical engine",
        value: 1999.5,
        contact_id: contact(4),
        stage_id: demoId("05", 1),
      },
    },
  ],
  updateDeal: [
    {
      name: "moved",
      summary: "Mark a deal as won and move it to another stage",
      params: { id: demoId("07", 1) },
      body: { stage_id: demoId("05", 4), status: "won" },
    },
  ],
  archiveDeal: [
    { name: "archived", summary: "Archive a deal", params: { id: demoId("07", 2) } },
  ],
  restoreDeal: [
    { name: "restored", summary: "Restore the deal", params: { id: demoId("07", 2) } },
  ],
  createDeals: [
    {
      name: "createdMany",
      summary: "One deal is created; the contact of the other deal does not exist",
      body: {
        items: [
          { title: "Difference engine", contact_id: contact(4), stage_id: demoId("05", 1) },
          { title: "Lost letter", contact_id: contact(9999), stage_id: demoId("05", 1) },
        ],
      },
    },
    {
      name: "writtenByOwnId",
      summary: "The deal with this `external_id` is updated, or created if there is none",
      query: { on_conflict: "update" },
      body: {
        items: [
          {
            external_id: "order-1815",
            title: "Order 1815",
            contact_id: contact(4),
            stage_id: demoId("05", 1),
          },
        ],
      },
    },
    {
      name: "noneCreated",
      summary: "All or none: one item cannot be created",
      query: { atomic: "true" },
      body: {
        items: [
          { title: "Difference engine", contact_id: contact(4), stage_id: demoId("05", 1) },
          { title: "Lost letter", contact_id: contact(9999), stage_id: demoId("05", 1) },
        ],
      },
    },
  ],
  updateDeals: [
    {
      name: "updatedMany",
      summary: "One deal moves to another stage; the other deal does not exist",
      body: {
        items: [
          { id: demoId("07", 2), stage_id: demoId("05", 2) },
          { id: demoId("07", 9999), status: "lost" },
        ],
      },
    },
    {
      name: "noneUpdated",
      summary: "All or none: one item is not a deal of the company",
      query: { atomic: "true" },
      body: {
        items: [
          { id: demoId("07", 2), stage_id: demoId("05", 2) },
          { id: demoId("07", 9999), status: "lost" },
        ],
      },
    },
  ],
  createPipeline: [
    { name: "created", summary: "A new pipeline", body: { name: "Partners" } },
  ],
  updatePipeline: [
    {
      name: "moved",
      summary: "Rename a pipeline and move it to the beginning",
      params: { id: demoId("04", 1) },
      body: { name: "Service", position: 0 },
    },
  ],
  archivePipeline: [
    {
      name: "hasDeals",
      summary: "The pipeline has deals",
      params: { id: demoId("04", 1) },
    },
  ],
  createStage: [
    {
      name: "created",
      summary: "A new stage before the last stage",
      body: { pipeline_id: demoId("04", 1), name: "Signed", position: 3 },
    },
  ],
  updateStage: [
    {
      name: "moved",
      summary: "Move a stage to the end",
      params: { id: demoId("05", 1) },
      body: { position: 99 },
    },
  ],
  archiveStage: [
    {
      name: "hasDeals",
      summary: "The stage has deals, but the request has no `move_deals_to`",
      params: { id: demoId("05", 2) },
    },
    {
      name: "archived",
      summary: "Move the deals of a stage and archive it",
      params: { id: demoId("05", 2) },
      query: { move_deals_to: demoId("05", 3) },
    },
  ],
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;
