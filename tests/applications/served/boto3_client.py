"""A session with Moto, by boto3. Usage: python boto3_client.py URL session|use|state"""

from __future__ import annotations

import json
import sys

import boto3
from botocore.config import Config

CONFIG = Config(
    s3={"addressing_style": "path"},
    retries={"max_attempts": 1},
    request_checksum_calculation="when_required",
)


def client(name: str):
    """The client of a service."""
    return boto3.client(
        name,
        endpoint_url=sys.argv[1],
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=CONFIG,
    )


s3, sqs, ec2 = map(client, ("s3", "sqs", "ec2"))
PART = 2048  # bytes of one that has another behind it


def session() -> None:
    """Objects, one in parts; messages that are received and deleted; a group with rules."""
    bucket = "tea-orders"
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="house.txt", Body=b"1 pot", Metadata={"by": "kim"})
    s3.put_object_tagging(
        Bucket=bucket, Key="house.txt", Tagging={"TagSet": [{"Key": "state", "Value": "open"}]}
    )
    upload = s3.create_multipart_upload(Bucket=bucket, Key="large.bin")["UploadId"]
    where = {"Bucket": bucket, "Key": "large.bin", "UploadId": upload}
    parts = []
    for number, body in ((1, b"a" * PART), (2, b"the end")):
        etag = s3.upload_part(**where, PartNumber=number, Body=body)["ETag"]
        parts.append({"PartNumber": number, "ETag": etag})
    s3.list_parts(**where)
    s3.complete_multipart_upload(**where, MultipartUpload={"Parts": parts})
    s3.copy_object(Bucket=bucket, Key="copy.txt", CopySource={"Bucket": bucket, "Key": "house.txt"})
    s3.put_object(Bucket=bucket, Key="spoons.txt", Body=b"12 spoons")
    listed = s3.list_objects_v2(Bucket=bucket)["Contents"]
    gone = [{"Key": one["Key"]} for one in listed if one["Key"] in ("copy.txt", "spoons.txt")]
    s3.delete_objects(Bucket=bucket, Delete={"Objects": gone})

    queue = sqs.create_queue(QueueName="tea-parcels")["QueueUrl"]
    for text in ("Tea House", "Cups Ltd"):
        sqs.send_message(QueueUrl=queue, MessageBody=text)
    message = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=1)["Messages"][0]
    taken = {"QueueUrl": queue, "ReceiptHandle": message["ReceiptHandle"]}
    sqs.change_message_visibility(**taken, VisibilityTimeout=60)
    sqs.delete_message(**taken)

    group = ec2.create_security_group(GroupName="tea-parcels", Description="Parcels")["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=group, IpProtocol="tcp", FromPort=443, ToPort=443, CidrIp="10.0.0.0/8"
    )
    ec2.create_tags(Resources=[group], Tags=[{"Key": "team", "Value": "packers"}])
    found = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
    rule = ec2.describe_security_group_rules(
        Filters=[{"Name": "group-id", "Values": [found["GroupId"]]}]
    )["SecurityGroupRules"]
    mine = next(one for one in rule if not one["IsEgress"])["SecurityGroupRuleId"]
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[mine])
    volume = ec2.create_volume(AvailabilityZone="us-east-1a", Size=8)["VolumeId"]
    ec2.create_tags(Resources=[volume], Tags=[{"Key": "Name", "Value": "tea-parcels"}])
    snapshot = ec2.create_snapshot(VolumeId=volume, Description="tea-parcels")["SnapshotId"]
    ec2.describe_snapshots(SnapshotIds=[snapshot])
    ec2.delete_volume(VolumeId=volume)


def use() -> None:
    """Others have objects, messages and groups."""
    s3.create_bucket(Bucket="attic")
    s3.put_object(Bucket="attic", Key="old.txt", Body=b"Old")
    queue = sqs.create_queue(QueueName="attic")["QueueUrl"]
    sqs.send_message(QueueUrl=queue, MessageBody="Old")
    ec2.create_security_group(GroupName="attic", Description="Old things")


def state() -> None:
    """What there is, as JSON."""
    rows = []
    for bucket in (one["Name"] for one in s3.list_buckets()["Buckets"]):
        for one in s3.list_objects_v2(Bucket=bucket).get("Contents", ()):
            where = {"Bucket": bucket, "Key": one["Key"]}
            tags = s3.get_object_tagging(**where)["TagSet"]
            by = s3.head_object(**where)["Metadata"].get("by")
            rows.append(f"{bucket}/{one['Key']}: {one['Size']} {by} {tags}")
    for queue in sqs.list_queues().get("QueueUrls", ()):
        found = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
        count = int(found["ApproximateNumberOfMessages"])
        count += int(found["ApproximateNumberOfMessagesNotVisible"])
        rows.append(f"queue {queue.rpartition('/')[2]}: {count}")
    rows += [
        f"group {one['GroupName']} {len(one['IpPermissions'])} {one.get('Tags')}"
        for one in ec2.describe_security_groups()["SecurityGroups"]
    ]
    snapshots = ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"]
    rows += [f"snapshot {one.get('Description')}" for one in snapshots]
    rows += [f"volume {one.get('Tags')} {one['Size']}" for one in ec2.describe_volumes()["Volumes"]]
    sys.stdout.write(json.dumps(rows))


if __name__ == "__main__":
    {"session": session, "use": use, "state": state}[sys.argv[2]]()
