"""Computes launch health, retention and a funnel of one game from its event files with Spark, and prints them as JSON.

spark-submit report.py s3a://bucket/events/game_id=UID [--today 2026-11-30] [--funnel boot_ok,first_input,session_end]
"""

import argparse
import json
from datetime import date, datetime, timedelta, timezone

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

# The columns that are used, so that Spark doesn't read a file to learn them.
SCHEMA = t.StructType(
    [
        t.StructField("received_at", t.TimestampType()),
        t.StructField("build_id", t.StringType()),
        t.StructField("event", t.StringType()),
        t.StructField("device_uid", t.StringType()),
        t.StructField("day", t.DateType()),
    ]
)

WINDOW_DAYS = 30
RETENTION_DAYS = (1, 7, 30)


def launch_health(events: DataFrame, today: date) -> list[dict]:
    """Per build, the devices of the last 30 days, and those that booted and that crashed before their first boot."""
    since = f.lit(today - timedelta(days=WINDOW_DAYS - 1))
    first_boots = (
        events.where(events.event == "boot_ok")
        .groupBy("build_id", "device_uid")
        .agg(f.min("received_at").alias("first_boot"))
    )

    def is_in_window(condition: Column) -> Column:
        return f.max(f.when(condition, f.col("day"))) >= since

    devices = (
        events.join(first_boots, ["build_id", "device_uid"], "left")
        .groupBy("build_id", "device_uid")
        .agg(
            is_in_window(f.lit(True)).alias("is_active"),
            is_in_window(f.col("event") == "boot_ok").alias("has_booted"),
            is_in_window(
                (f.col("event") == "crash")
                & (f.col("first_boot").isNull() | (f.col("received_at") < f.col("first_boot")))
            ).alias("has_crashed"),
        )
    )
    builds = (
        devices.groupBy("build_id")
        .agg(
            f.count_if("is_active").alias("devices"),
            f.count_if(f.coalesce("has_booted", f.lit(False))).alias("booted"),
            f.count_if(f.coalesce("has_crashed", f.lit(False))).alias("crashed_on_boot"),
        )
        .where("devices > 0")
        .orderBy("build_id")
    )
    return [row.asDict() for row in builds.collect()]


def retention(events: DataFrame, today: date) -> list[dict]:
    """For day 1, 7 and 30: of the devices whose first day is at least that long ago, those that were seen on that day."""
    days = events.select("device_uid", "day").distinct()
    first_days = days.groupBy("device_uid").agg(f.min("day").alias("first_day"))
    ages = days.join(first_days, "device_uid").withColumn("age", f.date_diff("day", "first_day"))
    results = []
    for age in RETENTION_DAYS:
        # The day must be over.
        known = ages.where(f.date_add("first_day", age) < f.lit(today))
        row = known.agg(
            f.count_if(f.col("age") == 0).alias("devices"),
            f.count_if(f.col("age") == age).alias("returned"),
        ).first()
        results.append({"day": age, **row.asDict()})
    return results


def funnel(events: DataFrame, steps: list[str]) -> list[dict]:
    """How many devices sent the events of the steps one after the other."""
    reached = events.where(events.event == steps[0]).groupBy("device_uid").agg(f.min("received_at").alias("at"))
    results = [{"event": steps[0], "devices": reached.count()}]
    for step in steps[1:]:
        reached = (
            events.where(events.event == step)
            .join(reached, "device_uid")
            .where(f.col("received_at") > f.col("at"))
            .groupBy("device_uid")
            .agg(f.min("received_at").alias("at"))
        )
        results.append({"event": step, "devices": reached.count()})
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", help="folder with the files of one game, which ends with game_id=UID")
    parser.add_argument("--today", type=date.fromisoformat, default=datetime.now(timezone.utc).date())
    parser.add_argument("--funnel", default="boot_ok,first_input,session_end", help="events, separated by commas")
    parser.add_argument("--output", help="file for the result, in place of standard output")
    args = parser.parse_args()

    spark = SparkSession.builder.appName("analytics").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    # Only events with a device count for anything here.
    events = spark.read.schema(SCHEMA).parquet(args.files).where("device_uid is not null").cache()
    result = json.dumps(
        {
            "launch_health": launch_health(events, args.today),
            "retention": retention(events, args.today),
            "funnel": funnel(events, args.funnel.split(",")),
        },
        indent=2,
    )
    spark.stop()
    if args.output is None:
        print(result)
    else:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(result + "\n")


if __name__ == "__main__":
    main()
